#pragma once

#include <span>

#include "fovea/attend/attention.h"
#include "fovea/data/batch.h"

namespace fovea {

// How far attention is from gold links (Chen et al. 2016): the sum over linked
// target words of -log of the weight on their source words, heads averaged and
// several links of a word sharing it, over `normaliser`. `weights` has a row
// for each target word of `of`.
Var guided_alignment_loss(const Weights& weights,
                          std::span<const TokenLinks> links, const Segments& of,
                          double normaliser);

}  // namespace fovea
