#pragma once

#include <functional>
#include <optional>

#include "fovea/data/symmetrise.h"
#include "fovea/data/word_aligner.h"

namespace fovea {

// Aligners of both directions whose links become one set. Immutable, so threads
// may share one.
class SymmetricAligner {
 public:
  // Learns only the directions that `how` needs, one after the other; `after`
  // is told of each round of either.
  static SymmetricAligner train(
      const Sentences& source, const Sentences& target,
      const AlignerConfig& config = {},
      Symmetry how = Symmetry::kGrowDiagFinalAnd,
      const std::function<void(const AlignerStep&)>& after = {});

  // Sorted; the source word first.
  WordLinks align(std::span<const int> source,
                  std::span<const int> target) const;
  // Of the first `count` pairs of sentences; on all threads.
  std::vector<WordLinks> align_all(const Sentences& source,
                                   const Sentences& target,
                                   int64_t count) const;

  // Those that were learned: not there if `how` takes the other one only.
  const WordAligner& forward() const { return *forward_; }    // source given
  const WordAligner& backward() const { return *backward_; }  // target given

 private:
  SymmetricAligner(std::optional<WordAligner> forward,
                   std::optional<WordAligner> backward, Symmetry how)
      : forward_(std::move(forward)),
        backward_(std::move(backward)),
        how_(how) {}

  std::optional<WordAligner> forward_, backward_;
  Symmetry how_;
};

}  // namespace fovea
