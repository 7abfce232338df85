#pragma once

#include <memory>

#include "fovea/predict/registry.h"

namespace fovea {

// RNNsearch (Bahdanau, Cho and Bengio 2015, SPEC D4): the state before a step
// asks the attention, the word before it and the context make the new state. A
// hidden row is the maxout of a linear of the state before, the word and the
// context. Several layers are a stack whose top asks.
std::unique_ptr<SequencePredictor> make_rnnsearch_decoder(
    const DecoderConfig& config, const ComposedConfig& attend,
    const DecoderSizes& sizes, RandomKey key);

}  // namespace fovea
