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

// The place of the largest number; the first of equals.
inline int first_largest(std::span<const float> row) {
  return static_cast<int>(std::max_element(row.begin(), row.end()) -
                          row.begin());
}

}  // namespace fovea
