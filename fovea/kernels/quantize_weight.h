#pragma once

#include <cstdint>
#include <span>

namespace fovea::kernels {

// A matrix [out,in] of such rows, as files have it. The bytes belong to someone
// else; `scales` has one for each row.
struct QuantizedRows {
  // Of |q|. Not 127: four products with activations of 7 bits then fit 16 bits,
  // which makes quantized_gemm a fifth faster.
  static constexpr int kMost = 64;

  std::span<const int8_t> q;
  std::span<const float> scales;

  int64_t out() const { return std::ssize(scales); }
  int64_t in() const { return out() ? std::ssize(q) / out() : 0; }
  const int8_t* row(int64_t i) const { return q.data() + i * in(); }
};

// Weights as 8 bits: w = scale * q, |q| <= kMost, scale = max|w| / kMost. The
// one rule for all, in memory and in files. Returns the scale; weights that are
// all 0 (or below 1e-30) have 0. Weight k is weight[k * step].
float quantize_weights(const float* weight, int64_t step, std::span<int8_t> q);

}  // namespace fovea::kernels
