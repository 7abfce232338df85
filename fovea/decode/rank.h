#pragma once

#include <cstddef>
#include <span>

#include "fovea/decode/hypothesis.h"
#include "fovea/decode/search_config.h"

namespace fovea {

// log P / ((5 + L) / 6)^alpha, where L counts the end mark (Wu et al. 2016).
float length_normalised(double log_probability, int length, float alpha);

// The sum over the source's words of the logarithm of the attention that each
// has had, 1 at most (Wu et al. 2016). `weights` has rows of `keys`.
float coverage(std::span<const float> weights, size_t keys);

// Sets the sum of a hypothesis' log-probabilities, and its score. The source
// has `keys` tokens with its end mark.
void rank(Hypothesis& hypothesis, size_t keys, const SearchConfig& config);

// Those of the largest scores, best first.
void keep_best(std::vector<Hypothesis>& some, int count);

}  // namespace fovea
