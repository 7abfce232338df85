#pragma once

#include <span>

#include "fovea/kernels/dropout.h"
#include "fovea/kernels/view.h"

namespace fovea::kernels {

// Layer norm (Ba et al. 2016): y = (x - mean) / sqrt(variance + epsilon) * gain
// + bias. RMS norm (Zhang and Sennrich 2019): y = x / sqrt(mean square +
// epsilon) * gain + bias. Over each row.
struct NormOptions {
  enum class Kind { kLayer, kRms };
  Kind kind = Kind::kLayer;
  float epsilon = 1e-5f;
  std::span<const float> gain = {};  // one for each column; none: 1
  std::span<const float> bias = {};  // one for each column; none: 0
};

// What the backward pass needs of each row.
struct NormStats {
  std::span<float> mean;   // 0 for RMS norm
  std::span<float> scale;  // 1 / sqrt(...)
};

void norm(ConstMatrixView x, const NormOptions& options, MatrixView y,
          const NormStats& stats);

// sum = x + dropout(f), y = norm(sum): one pass over memory. Element (i, j) of
// a row has the index i * cols + j in the law of dropout. sum may be x.
struct ResidualNorm {
  ConstMatrixView x, f;
  Dropout drop;
  MatrixView sum, y;
};
void residual_norm(const ResidualNorm& r, const NormOptions& options,
                   const NormStats& stats);

// dsum = the gradient of what was normalised, or dsum += it;
// df = dropout(dsum), or df += it; dgain and dbias are added to.
struct NormBackward {
  ConstMatrixView sum, dy;
  MatrixView dsum;
  bool accumulate = false;
  MatrixView df = {};  // may be without data
  bool accumulate_f = false;
  Dropout drop = {};
  std::span<float> dgain = {}, dbias = {};  // may be empty
};
void norm_backward(const NormBackward& b, const NormOptions& options,
                   const NormStats& stats);

}  // namespace fovea::kernels
