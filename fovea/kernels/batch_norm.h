#pragma once

#include <span>

#include "fovea/kernels/view.h"

namespace fovea::kernels {

// Mean and variance (divided by the number of rows) of each column of x. Does
// not depend on the threads.
void column_statistics(ConstMatrixView x, std::span<float> mean,
                       std::span<float> variance);

// What a column is normalised with: y = (x - mean) * inverse * gain + bias,
// inverse = 1/sqrt(variance + epsilon). An empty gain is 1, an empty bias 0.
struct ColumnNorm {
  std::span<const float> mean, inverse, gain, bias;
};
void normalise_columns(ConstMatrixView x, const ColumnNorm& norm, MatrixView y);

// Sums over rows that both parameters' gradients and dx need:
// dgain = sum of dy * x^, dbias = sum of dy, x^ = (x - mean) * inverse.
void column_norm_sums(ConstMatrixView x, ConstMatrixView dy,
                      const ColumnNorm& norm, std::span<float> dgain,
                      std::span<float> dbias);

// dx = gain * inverse * (dy - dbias / rows - x^ * dgain / rows), or dx += it,
// where mean and variance were taken from x; empty dgain and dbias where they
// were constants.
struct ColumnNormGradient {
  std::span<const float> dgain = {}, dbias = {};
  bool accumulate = false;
};
void normalise_columns_backward(ConstMatrixView x, ConstMatrixView dy,
                                const ColumnNorm& norm,
                                const ColumnNormGradient& gradient,
                                MatrixView dx);

}  // namespace fovea::kernels
