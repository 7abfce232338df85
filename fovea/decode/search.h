#pragma once

#include <span>
#include <vector>

#include "fovea/decode/hypothesis.h"
#include "fovea/decode/search_config.h"
#include "fovea/models/seq2seq.h"

namespace fovea {

class SearchWatch;  // decode/search_watch.h

// A sentence to translate.
struct SearchSource {
  std::span<const int> ids;          // without the end mark, not empty
  std::span<const int> prefix = {};  // words that the translation begins with
  // The only words it may have, sorted, the end mark among them; empty: all.
  std::span<const int> shortlist = {};
  uint64_t number = 0;  // whose random numbers are drawn
};

// The n_best hypotheses of each sentence, best first; at least one. Several
// models vote by the mean of their probabilities; weights are those of the
// first. A beam of 1 is greedy search. If the models are prepared a sentence
// gets the same result alone or beside others. A watch may follow the search,
// and end that of a sentence, which then has no hypothesis.
std::vector<std::vector<Hypothesis>> search(
    std::span<const Seq2Seq* const> models,
    std::span<const SearchSource> sources, const SearchConfig& config,
    SearchWatch* watch = nullptr);

}  // namespace fovea
