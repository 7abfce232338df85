#pragma once

#include <algorithm>
#include <span>

#include "fovea/tensor/tensor.h"

// Rows of a matrix, as statistics read them.
namespace fovea {

inline std::span<const float> row_of(const Tensor& matrix, int64_t i) {
  return {matrix.data() + i * matrix.cols(),
          static_cast<size_t>(matrix.cols())};
}

// Of each row no more than its first numbers.
inline Tensor first_columns(const Tensor& matrix, int64_t most) {
  const int64_t width = std::min(most, matrix.cols());
  Tensor few({matrix.dim(0), width});
  for (int64_t i = 0; i < matrix.dim(0); ++i) {
    std::copy_n(matrix.data() + i * matrix.cols(), width,
                few.data() + i * width);
  }
  return few;
}

// The place of the largest number; the first of equals.
inline int first_largest(std::span<const float> row) {
  return static_cast<int>(std::max_element(row.begin(), row.end()) -
                          row.begin());
}

}  // namespace fovea
