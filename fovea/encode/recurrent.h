#pragma once

#include <memory>

#include "fovea/encode/registry.h"

namespace fovea {

// Layers of recurrent cells (SPEC D2, D4-D6), each of which reads its sequences
// one way or both ways; a layer that reads both ways has half the width for
// each. Where only the bottom layer reads both ways, as in GNMT (Wu et al.
// 2016), each way has the whole width, and the layer above reads both. A
// decoder may begin with the last states of each layer: of both directions, or
// then of the bottom layer's backward one.
std::unique_ptr<Encoder> make_recurrent_encoder(const EncoderConfig& config,
                                                int in, RandomKey key);

}  // namespace fovea
