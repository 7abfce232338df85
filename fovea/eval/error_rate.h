#pragma once

#include "fovea/eval/pair_metric.h"

namespace fovea {

struct EditCounts {
  int substitutions = 0, deletions = 0, insertions = 0;
  int total() const { return substitutions + deletions + insertions; }
  friend bool operator==(const EditCounts&, const EditCounts&) = default;
};

// The fewest edits that turn the reference into the output (Levenshtein). Of
// ways with equally many, the one with the most substitutions counts.
EditCounts edit_counts(std::span<const int> output,
                       std::span<const int> reference);

// Word or character error rate: edits by the length of the reference, over the
// whole corpus. It can exceed 100.
class ErrorRate : public PairMetric {
 public:
  explicit ErrorRate(const PairSymbols& symbols) : PairMetric(symbols) {}

  std::string name() const override { return by_characters() ? "CER" : "WER"; }
  bool higher_is_better() const override { return false; }
  double score(std::span<const double> sums) const override;
  std::vector<Figure> figures(std::span<const double> sums) const override;

 protected:
  int width() const override { return 4; }  // S, D, I, length
  void compare(std::span<const int> output, std::span<const int> reference,
               std::span<double> row) const override;
};

}  // namespace fovea
