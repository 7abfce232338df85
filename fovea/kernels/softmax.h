#pragma once

#include <cstdint>
#include <span>

#include "fovea/kernels/view.h"

namespace fovea::kernels {

// Rows of different lengths, one after another or each with a stride: row i
// begins at offset(i) and has length(i) elements.
class RaggedRows {
 public:
  // Row i is the elements offsets[i] to offsets[i + 1].
  explicit RaggedRows(std::span<const int> offsets)
      : offsets_(offsets), count_(static_cast<int64_t>(offsets.size()) - 1) {}
  // A matrix.
  RaggedRows(int64_t rows, int64_t cols, int64_t stride)
      : count_(rows), cols_(cols), stride_(stride) {}
  // The first lengths[i] elements of each row of a matrix.
  RaggedRows(std::span<const int> lengths, int64_t stride)
      : lengths_(lengths),
        count_(static_cast<int64_t>(lengths.size())),
        stride_(stride) {}

  int64_t count() const { return count_; }
  int64_t offset(int64_t i) const {
    return offsets_.empty() ? i * stride_ : offsets_[i];
  }
  int64_t length(int64_t i) const {
    if (!offsets_.empty()) return offsets_[i + 1] - offsets_[i];
    return lengths_.empty() ? cols_ : lengths_[i];
  }

 private:
  std::span<const int> offsets_, lengths_;
  int64_t count_ = 0, cols_ = 0, stride_ = 0;
};

// An entry of minus infinity is masked: its weight is 0. A row whose
// entries are all masked gives zeros, and for the logarithm minus infinity
// everywhere; its gradient is 0. Elements outside the rows are not touched.
// All arrays have the same layout; y may be x.
void softmax(const float* x, const RaggedRows& rows, float* y);
void log_softmax(const float* x, const RaggedRows& rows, float* y);

// dx = the gradient given the result y, or dx += it.
void softmax_backward(const float* y, const float* dy, const RaggedRows& rows,
                      float* dx, bool accumulate);
void log_softmax_backward(const float* y, const float* dy,
                          const RaggedRows& rows, float* dx, bool accumulate);

}  // namespace fovea::kernels
