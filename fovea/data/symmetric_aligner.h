#pragma once

#include <functional>
#include <optional>

#include "fovea/data/agreeing_aligner.h"
#include "fovea/data/symmetrise.h"

namespace fovea {

struct SymmetricAlignerConfig {
  AlignerConfig aligner = {};
  Symmetry how = Symmetry::kGrowDiagFinalAnd;
  int hmm_iterations = 0;  // in which both directions learn to agree
};

// Aligners of both directions whose links become one set. Immutable, so threads
// may share one.
class SymmetricAligner {
 public:
  // Learns only the directions that are needed, one after the other; `after` is
  // told of each round.
  static SymmetricAligner train(
      const Sentences& source, const Sentences& target,
      const SymmetricAlignerConfig& config = {},
      const std::function<void(const AlignerStep&)>& after = {});

  // Sorted; the source word first.
  WordLinks align(std::span<const int> source,
                  std::span<const int> target) const;
  // Of the first `count` pairs of sentences; on all threads.
  std::vector<WordLinks> align_all(const Sentences& source,
                                   const Sentences& target,
                                   int64_t count) const;

  // Not there with hmm_iterations, or if the other one alone was asked for.
  const WordAligner& forward() const { return *forward_; }    // source given
  const WordAligner& backward() const { return *backward_; }  // target given

 private:
  explicit SymmetricAligner(Symmetry how) : how_(how) {}

  std::optional<WordAligner> forward_, backward_;
  std::optional<AgreeingAligner> agreeing_;
  Symmetry how_;
};

// The rounds that training has.
int rounds_of(const SymmetricAlignerConfig& config);

}  // namespace fovea
