#pragma once

#include <span>
#include <utility>

#include "fovea/base/fields.h"
#include "fovea/kernels/packed_gemm.h"
#include "fovea/kernels/quantized_matrix.h"

namespace fovea::kernels {

// How weights are stored for inference.
enum class Precision { kFloat32, kInt8 };
constexpr EnumName<Precision> kPrecisions[] = {{Precision::kFloat32, "float32"},
                                               {Precision::kInt8, "int8"}};
constexpr auto& enum_names(Precision) { return kPrecisions; }

// The right-hand side of a product in float32 or in 8 bits, for those who need
// not know which. Immutable, so threads may share one.
class WeightMatrix {
 public:
  WeightMatrix() = default;  // empty
  // From a linear layer's weight [out,in]: the product is x * weight^T.
  static WeightMatrix from_out_in(ConstMatrixView weight, Precision precision);
  WeightMatrix(PackedMatrix m) : float32_(std::move(m)) {}  // NOLINT: converts
  WeightMatrix(QuantizedMatrix m) : int8_(std::move(m)) {}  // NOLINT: converts

  // Some of the columns, in this order.
  WeightMatrix columns(std::span<const int> some) const;
  // Exact, or as near as 8 bits are.
  void copy_column(int64_t column, std::span<float> to) const;

  explicit operator bool() const { return float32_ || int8_; }
  int64_t in() const { return int8_ ? int8_.in() : float32_.in(); }
  int64_t out() const { return int8_ ? int8_.out() : float32_.out(); }

  // c = activation(a * this + bias): packed_gemm or quantized_gemm.
  void multiply(ConstMatrixView a, MatrixView c,
                const PackedGemmOptions& options = {}) const;

 private:
  PackedMatrix float32_;
  QuantizedMatrix int8_;
};

}  // namespace fovea::kernels
