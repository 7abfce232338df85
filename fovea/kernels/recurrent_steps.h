#pragma once

#include <algorithm>
#include <span>

#include "fovea/base/parallel.h"
#include "fovea/kernels/recurrent.h"
#include "fovea/kernels/view.h"
#include "fovea/kernels/weight_matrix.h"
#include "fovea/tensor/allocator.h"

// How the recurrent kernels go through a ragged batch.
namespace fovea::kernels {

// Some sequences of a batch, the longest first, so that those still running at
// a step are the first ones. "Lane" j is the j-th of them.
class StepGroup {
 public:
  StepGroup(const Timeline& time, std::span<const int> sequences)
      : time_(time), sequences_(sequences) {}

  int lanes() const { return static_cast<int>(sequences_.size()); }
  int sequence(int lane) const { return sequences_[lane]; }
  int steps() const { return lanes() ? time_.of.length(sequences_[0]) : 0; }
  int active(int step) const;  // lanes that have a row at this step
  int64_t row(int lane, int step) const {
    const int b = sequences_[lane];
    return time_.reverse ? time_.of.end(b) - 1 - step
                         : time_.of.begin(b) + step;
  }
  // The state before a step: of the step before, or that of `initial` (which
  // has stride 0 if all sequences begin alike).
  const float* before(ConstMatrixView states, ConstMatrixView initial, int lane,
                      int step) const {
    return step > 0 ? states.row(row(lane, step - 1))
                    : initial.row(sequences_[lane]);
  }

 private:
  const Timeline& time_;
  std::span<const int> sequences_;
};

// Shares the sequences of a batch out to threads, alike in tokens and in rows
// at each step, and runs each share through time in one parallel region. Few
// sequences stay together: then the products use the threads.
void for_each_group(const Timeline& time,
                    FunctionRef<void(const StepGroup&)> body);

// Row `lane` of `lanes` = the sequence's row of `rows`; zeros if no data.
void gather_lanes(const StepGroup& group, ConstMatrixView rows,
                  MatrixView lanes);
void scatter_lanes(const StepGroup& group, ConstMatrixView lanes,
                   MatrixView rows);
// Adds instead; does nothing if `rows` has no data.
void scatter_add_lanes(const StepGroup& group, ConstMatrixView lanes,
                       MatrixView rows);

// Stands in for an initial state that was not given: all rows are one of zeros.
class ZeroRow {
 public:
  explicit ZeroRow(int64_t width) : zeros_(width) {
    std::ranges::fill(zeros_, 0.0f);
  }
  std::span<const float> span() const { return {zeros_.data(), zeros_.size()}; }
  ConstMatrixView view() const {
    return {zeros_.data(), 1, static_cast<int64_t>(zeros_.size()), 0};
  }

 private:
  Scratch<float> zeros_;
};

// out = h * u, or zeros when h is known to be zero.
void step_product(bool zero, ConstMatrixView h, const WeightMatrix& u,
                  MatrixView out);

}  // namespace fovea::kernels
