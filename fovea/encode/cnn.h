#pragma once

#include <memory>

#include "fovea/encode/registry.h"

namespace fovea {

// One layer of convolutions of several widths side by side, which share the
// width of the states evenly (Kim 2014). With the maximum over time as its pool
// it is his classifier.
std::unique_ptr<Encoder> make_cnn_encoder(const EncoderConfig& config, int in,
                                          RandomKey key);

}  // namespace fovea
