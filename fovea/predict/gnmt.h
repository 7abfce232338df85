#pragma once

#include <memory>

#include "fovea/predict/registry.h"

namespace fovea {

// GNMT (Wu et al. 2016, SPEC D6): the bottom layer reads the word and the
// context of the step before, and its state asks the attention. Every other
// layer reads the layer below and the context of the step before, or with
// `new-context` that of this step (gnmt_v2). Only the bottom layer runs step by
// step. A hidden row is the top state.
std::unique_ptr<SequencePredictor> make_gnmt_decoder(
    const DecoderConfig& config, const ComposedConfig& attend,
    const DecoderSizes& sizes, RandomKey key);

}  // namespace fovea
