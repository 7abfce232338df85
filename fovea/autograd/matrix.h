#pragma once

#include "fovea/kernels/view.h"
#include "fovea/tensor/tensor.h"

namespace fovea {

// A tensor as the kernels see it: the last axis is a row.
inline kernels::MatrixView matrix(const Tensor& t) {
  const bool is_matrix = t.shape().rank() == 2;  // maybe without columns
  return {t.data(), is_matrix ? t.dim(0) : t.rows(), t.cols()};
}

}  // namespace fovea
