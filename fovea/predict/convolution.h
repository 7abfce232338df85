#pragma once

#include <memory>

#include "fovea/predict/registry.h"

namespace fovea {

// The decoder of Gehring et al. 2017 (SPEC D7): gated convolutions that see no
// later word, an attention in every layer. Its query is (W_in x + g) sqrt(.5)
// with the word's embedding g, its keys are the encoder's states z, its values
// y = (z + e) sqrt(.5) with the source embeddings e (z alone where the widths
// differ); a context is multiplied by the root of the source's length. Any
// attention can stand here; the paper's is a dot product without projections.
std::unique_ptr<SequencePredictor> make_convolution_decoder(
    const DecoderConfig& config, const ComposedConfig& attend,
    const DecoderSizes& sizes, RandomKey key);

}  // namespace fovea
