#include "fovea/kernels/quantize_weight.h"

#include <algorithm>
#include <cmath>

namespace fovea::kernels {
namespace {

constexpr float kMost = QuantizedRows::kMost;

}  // namespace

float quantize_weights(const float* weight, int64_t step, std::span<int8_t> q) {
  const auto count = std::ssize(q);
  float largest = 0;
  for (int64_t k = 0; k < count; ++k) {
    largest = std::max(largest, std::abs(weight[k * step]));
  }
  if (largest < 1e-30f) {
    std::ranges::fill(q, int8_t{0});
    return 0;
  }
  const float factor = kMost / largest;
  for (int64_t k = 0; k < count; ++k) {
    const float nearest = std::nearbyint(weight[k * step] * factor);
    // In this order a NaN becomes a number.
    q[k] = static_cast<int8_t>(std::max(-kMost, std::min(kMost, nearest)));
  }
  return largest / kMost;
}

}  // namespace fovea::kernels
