#pragma once

#include <memory>

#include "fovea/encode/registry.h"

namespace fovea {

// Vaswani et al. 2017 (SPEC D8), pre- or post-norm. The embeddings must be as
// wide as the states.
std::unique_ptr<Encoder> make_transformer_encoder(const EncoderConfig& config,
                                                  int in, RandomKey key);

}  // namespace fovea
