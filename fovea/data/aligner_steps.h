#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fovea/data/sentences.h"
#include "fovea/data/translation_table.h"

// What learning is made of, whichever model of word order there is.
namespace fovea {

// No word is impossible: a pair that was never seen, or that learning gave up.
constexpr float kLeastProbability = 1e-12f;

// Pairs to learn from: no side is empty or has more than `most` words.
std::vector<int64_t> usable_pairs(const Sentences& source,
                                  const Sentences& target, size_t most);

// Probabilities from counts, which are 0 again. With an alpha rare words get
// few translations (variational Bayes).
void maximise(TranslationTable& table, std::optional<double> alpha);

}  // namespace fovea
