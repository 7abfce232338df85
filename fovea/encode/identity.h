#pragma once

#include <memory>

#include "fovea/encode/registry.h"

namespace fovea {

// No encoder: the states are the embeddings, which know no context. What is
// pooled from them is a bag of words (SPEC D13 a).
std::unique_ptr<Encoder> make_identity_encoder(const EncoderConfig& config,
                                               int in, RandomKey key);

}  // namespace fovea
