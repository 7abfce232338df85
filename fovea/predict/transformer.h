#pragma once

#include <memory>

#include "fovea/predict/registry.h"

namespace fovea {

// The decoder of Vaswani et al. 2017 (SPEC D8), pre- or post-norm. Words must
// be as wide as the states.
std::unique_ptr<SequencePredictor> make_transformer_decoder(
    const DecoderConfig& config, const ComposedConfig& attend,
    const DecoderSizes& sizes, RandomKey key);

}  // namespace fovea
