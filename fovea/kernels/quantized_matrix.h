#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "fovea/kernels/quantize_weight.h"
#include "fovea/kernels/view.h"
#include "fovea/tensor/aligned_array.h"

namespace fovea::kernels {

// A weight in 8 bits, for quantized_gemm: w = scale * q with one scale for each
// output column (see quantize_weight.h). Panels of 16 columns; in a panel four
// inputs of a column stand side by side, then those of the next column.
// Immutable, so threads may share one.
class QuantizedMatrix {
 public:
  static constexpr int64_t kPanel = 16;
  static constexpr int64_t kGroup = 4;  // inputs that stand side by side
  // Sums of 127 * 64 stay below 2^31.
  static constexpr int64_t kMaxIn = 130000;

  QuantizedMatrix() = default;  // empty
  static QuantizedMatrix from_out_in(ConstMatrixView weight);
  static QuantizedMatrix from_in_out(ConstMatrixView weight);
  // From what from_out_in would make of a weight's rows.
  static QuantizedMatrix from_rows(const QuantizedRows& weight);

  // Some of the columns, in this order.
  QuantizedMatrix columns(std::span<const int> some) const;
  // The weights of a column, as near as 8 bits are.
  void copy_column(int64_t column, std::span<float> to) const;

  explicit operator bool() const { return panels_.data() != nullptr; }
  int64_t in() const { return in_; }
  int64_t out() const { return out_; }
  int64_t groups() const { return (in_ + kGroup - 1) / kGroup; }
  int64_t panel_count() const { return (out_ + kPanel - 1) / kPanel; }
  const int8_t* panel(int64_t i) const {
    return panels_.data() + i * groups() * kGroup * kPanel;
  }
  // One for each column, the last panel filled up.
  const float* scales() const { return scales_.data(); }
  // -64 times the sum of the column: takes the zero point out of a product.
  const int32_t* offsets() const { return offsets_.data(); }
  size_t bytes() const { return panels_.size(); }

 private:
  QuantizedMatrix(int64_t in, int64_t out);
  void place_column(int64_t j, const int8_t* q, float scale);
  int64_t in_ = 0;
  int64_t out_ = 0;
  AlignedArray<int8_t> panels_;
  AlignedArray<float> scales_;
  AlignedArray<int32_t> offsets_;
};

}  // namespace fovea::kernels
