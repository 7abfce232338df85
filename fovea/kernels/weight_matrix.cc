#include "fovea/kernels/weight_matrix.h"

#include "fovea/kernels/quantized.h"

namespace fovea::kernels {

WeightMatrix WeightMatrix::from_out_in(ConstMatrixView weight,
                                       Precision precision) {
  if (precision == Precision::kInt8)
    return QuantizedMatrix::from_out_in(weight);
  return PackedMatrix::from_out_in(weight);
}

WeightMatrix WeightMatrix::columns(std::span<const int> some) const {
  if (int8_) return int8_.columns(some);
  return float32_.columns(some);
}

void WeightMatrix::copy_column(int64_t column, std::span<float> to) const {
  int8_ ? int8_.copy_column(column, to) : float32_.copy_column(column, to);
}

void WeightMatrix::multiply(ConstMatrixView a, MatrixView c,
                            const PackedGemmOptions& options) const {
  int8_ ? quantized_gemm(a, int8_, c, options)
        : packed_gemm(a, float32_, c, options);
}

}  // namespace fovea::kernels
