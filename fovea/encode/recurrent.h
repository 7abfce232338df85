#pragma once

#include <memory>

#include "fovea/encode/registry.h"

namespace fovea {

// Layers of recurrent cells (SPEC D2, D4-D6), each of which reads its sequences
// one way or both ways; a layer that reads both ways has half the width for
// each. A decoder may begin with the last states of each layer: of both
// directions, or where only the bottom layer has two of its backward one, as
// GNMT does (Wu et al. 2016).
std::unique_ptr<Encoder> make_recurrent_encoder(const EncoderConfig& config,
                                                int in, RandomKey key);

}  // namespace fovea
