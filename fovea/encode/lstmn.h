#pragma once

#include <memory>

#include "fovea/encode/registry.h"

namespace fovea {

// Layers of LSTMN (Cheng, Dong and Lapata 2016, SPEC B13): each word attends to
// all states before it. Of `options` it takes `hidden` and `summary` as
// LstmnConfig has them; as in the released code, the encoder has no summary
// unless asked for.
std::unique_ptr<Encoder> make_lstmn_encoder(const EncoderConfig& config, int in,
                                            RandomKey key);

}  // namespace fovea
