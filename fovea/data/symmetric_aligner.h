#pragma once

#include "fovea/data/symmetrise.h"
#include "fovea/data/word_aligner.h"

namespace fovea {

// Aligners of both directions whose links become one set. Immutable, so threads
// may share one.
class SymmetricAligner {
 public:
  static SymmetricAligner train(const Sentences& source,
                                const Sentences& target,
                                const AlignerConfig& config = {},
                                Symmetry how = Symmetry::kGrowDiagFinalAnd);

  // Sorted; the source word first.
  WordLinks align(std::span<const int> source,
                  std::span<const int> target) const;

  const WordAligner& forward() const { return forward_; }    // source given
  const WordAligner& backward() const { return backward_; }  // target given

 private:
  SymmetricAligner(WordAligner forward, WordAligner backward, Symmetry how)
      : forward_(std::move(forward)),
        backward_(std::move(backward)),
        how_(how) {}

  WordAligner forward_, backward_;
  Symmetry how_;
};

}  // namespace fovea
