#pragma once

#include <span>

#include "fovea/kernels/epilogue.h"
#include "fovea/kernels/view.h"

namespace fovea::kernels {

struct GemmOptions {
  bool transpose_a = false;
  bool transpose_b = false;
  bool accumulate = false;  // adds what c holds, before the activation
  float alpha = 1.0f;
  std::span<const float> bias = {};  // one for each column of c, or none
  Activation activation = Activation::kNone;
};

// c = activation(alpha * op(a) * op(b) + bias), for training. Which library or
// kernel computes it is fixed by the shape. A row of c may differ in its last
// bits with the number of rows and of threads: inference uses packed_gemm.
void gemm(ConstMatrixView a, ConstMatrixView b, MatrixView c,
          const GemmOptions& options = {});

}  // namespace fovea::kernels
