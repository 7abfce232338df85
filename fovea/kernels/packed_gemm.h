#pragma once

#include <cstdint>
#include <span>

#include "fovea/kernels/epilogue.h"
#include "fovea/kernels/view.h"
#include "fovea/tensor/aligned_array.h"

namespace fovea::kernels {

// The right-hand side of a product, laid out once for packed_gemm: panels of 16
// columns, each panel one row of 16 after another, the last panel filled up
// with zeros. Immutable, so threads may share one.
class PackedMatrix {
 public:
  static constexpr int64_t kPanel = 16;

  PackedMatrix() = default;  // empty
  // From a linear layer's weight [out,in]: the product is x * weight^T.
  static PackedMatrix from_out_in(ConstMatrixView weight);
  // From a matrix [in,out]: the product is x * weight.
  static PackedMatrix from_in_out(ConstMatrixView weight);

  // Some of the columns, in this order.
  PackedMatrix columns(std::span<const int> some) const;
  void copy_column(int64_t column, std::span<float> to) const;

  explicit operator bool() const { return panels_.data() != nullptr; }
  int64_t in() const { return in_; }
  int64_t out() const { return out_; }
  int64_t panel_count() const { return (out_ + kPanel - 1) / kPanel; }
  const float* panel(int64_t i) const {
    return panels_.data() + i * in_ * kPanel;
  }
  size_t bytes() const { return panels_.size() * sizeof(float); }

 private:
  PackedMatrix(int64_t in, int64_t out);
  int64_t in_ = 0;
  int64_t out_ = 0;
  AlignedArray<float> panels_;
};

struct PackedGemmOptions {
  std::span<const float> bias = {};  // one for each column of c, or none
  Activation activation = Activation::kNone;
  bool accumulate = false;  // c = activation(c + a * b + bias)
};

// c = activation(a * b + bias), a [M,in], c [M,out], for inference. Every
// element of c is one chain of additions in the order of the columns of a, then
// bias, then activation: a row of c has the same bits whatever other rows stand
// beside it and however many threads work.
void packed_gemm(ConstMatrixView a, const PackedMatrix& b, MatrixView c,
                 const PackedGemmOptions& options = {});

}  // namespace fovea::kernels
