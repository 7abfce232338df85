#include "fovea/kernels/gemm.h"

#include <oneapi/dnnl/dnnl.h>

#include "fovea/base/check.h"

namespace fovea::kernels {

void gemm(ConstMatrixView a, ConstMatrixView b, MatrixView c,
          const GemmOptions& options) {
  const int64_t k = options.transpose_a ? a.rows : a.cols;
  check(options.bias.empty() && options.activation == Activation::kNone,
        "gemm: not here");
  const float beta = options.accumulate ? 1.0f : 0.0f;
  dnnl_sgemm(options.transpose_a ? 'T' : 'N', options.transpose_b ? 'T' : 'N',
             c.rows, c.cols, k, options.alpha, a.data, a.stride, b.data,
             b.stride, beta, c.data, c.stride);
}

}  // namespace fovea::kernels
