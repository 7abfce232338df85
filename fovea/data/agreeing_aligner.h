#pragma once

#include <functional>
#include <span>

#include "fovea/data/hmm.h"
#include "fovea/data/word_aligner.h"

namespace fovea {

// Aligners of both directions that have learned to agree (Liang, Taskar, Klein
// 2006): hidden Markov models that count a link only as far as both find it
// likely. They begin with what WordAligner learned. The result does not depend
// on the number of threads. Immutable, so threads may share one.
class AgreeingAligner {
 public:
  // `after` is told of each round of both directions' WordAligners, then of
  // `rounds` rounds of both together.
  static AgreeingAligner train(
      const Sentences& source, const Sentences& target,
      const AlignerConfig& config, int rounds,
      const std::function<void(const AlignerStep&)>& after = {});

  // The likeliest source word of each target word and the other way round; the
  // source word comes first in both.
  struct Links {
    WordLinks forward, backward;
  };
  Links align(std::span<const int> source, std::span<const int> target) const;

 private:
  // One direction.
  struct Side {
    TranslationTable table;
    Jumps jumps = {};
  };
  class Round;

  AgreeingAligner(Side forward, Side backward, double null_probability)
      : sides_{std::move(forward), std::move(backward)},
        null_probability_(null_probability) {}

  Side sides_[2];  // source given, target given
  double null_probability_;
};

}  // namespace fovea
