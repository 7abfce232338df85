#pragma once

#include "fovea/decode/beam.h"
#include "fovea/decode/scorer.h"
#include "fovea/decode/search_config.h"
#include "fovea/decode/word_chains.h"

namespace fovea {

// Takes words away that a config does not let come next. Where none is left,
// the hypothesis may end.
class Restriction {
 public:
  Restriction(const SearchConfig& config, int end)
      : config_(config), end_(end) {}

  // To the scores of the hypothesis `h`.
  void apply(const Scorer& scorer, int row, const Alive& h,
             const WordChains& chains) const;

 private:
  const SearchConfig& config_;
  const int end_;
};

}  // namespace fovea
