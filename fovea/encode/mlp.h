#pragma once

#include <memory>

#include "fovea/encode/registry.h"

namespace fovea {

// Layers that see one row each: no state knows its context (SPEC D13 c with a
// token-wise encoder).
std::unique_ptr<Encoder> make_mlp_encoder(const EncoderConfig& config, int in,
                                          RandomKey key);

}  // namespace fovea
