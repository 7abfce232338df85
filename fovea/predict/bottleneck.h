#pragma once

#include <memory>

#include "fovea/predict/registry.h"

namespace fovea {

// No attention: all that is known of the source is one vector (SPEC D3). It
// makes the first state only (Sutskever et al. 2014), and a hidden row is the
// top state; or with `every-step` the vector also enters each step and the
// maxout readout, which is RNNencdec: rnnsearch whose every context is this
// vector (Cho et al. 2014). All steps run at once.
std::unique_ptr<SequencePredictor> make_bottleneck_decoder(
    const DecoderConfig& config, const ComposedConfig& attend,
    const DecoderSizes& sizes, RandomKey key);

}  // namespace fovea
