#pragma once

#include <memory>

#include "fovea/encode/registry.h"

namespace fovea {

// The encoder of Gehring et al. 2017 (SPEC D7): gated convolutions with
// residual connections, then a linear layer back to the width of the
// embeddings, so that a decoder can add the two.
std::unique_ptr<Encoder> make_convolution_encoder(const EncoderConfig& config,
                                                  int in, RandomKey key);

}  // namespace fovea
