#pragma once

#include <cstdint>
#include <span>

namespace fovea::kernels {

// Weights as 8 bits: w = scale * q, q from -127 to 127, scale = max|w| / 127.
// The one rule for all, in memory and in files. Returns the scale; weights that
// are all 0 (or below 1e-30) have 0. Weight k is weight[k * step].
float quantize_weights(const float* weight, int64_t step, std::span<int8_t> q);

// A matrix [out,in] of such rows, as files have it. The bytes belong to someone
// else; `scales` has one for each row.
struct QuantizedRows {
  std::span<const int8_t> q;
  std::span<const float> scales;

  int64_t out() const { return std::ssize(scales); }
  int64_t in() const { return out() ? std::ssize(q) / out() : 0; }
  const int8_t* row(int64_t i) const { return q.data() + i * in(); }
};

}  // namespace fovea::kernels
