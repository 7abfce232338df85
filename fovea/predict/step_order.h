#pragma once

#include <span>
#include <vector>

#include "fovea/tensor/segments.h"

namespace fovea {

// The rows of a ragged batch by steps: first those of step 0, then those of
// step 1 and so on; in each step the longest sequences first, so that the
// sequences of a step are the first ones of the step before. Nothing is padded.
// A batch without rows has one step without rows.
class StepOrder {
 public:
  explicit StepOrder(const Segments& of);

  int steps() const { return static_cast<int>(begin_.size()) - 1; }
  int begin(int step) const { return begin_[step]; }  // its first row
  int active(int step) const { return begin_[step + 1] - begin_[step]; }
  // Those that have a row at this step.
  std::span<const int> sequences(int step) const {
    return std::span(sequences_).first(active(step));
  }
  std::span<const int> sequences() const { return sequences_; }  // all of them

  // The row of the batch of each row here, and the other way round.
  std::span<const int> rows() const { return rows_; }
  std::span<const int> places() const { return places_; }

 private:
  std::vector<int> sequences_, begin_, rows_, places_;
};

}  // namespace fovea
