#include "fovea/base/rng.h"

#include <cmath>
#include <numbers>

namespace fovea {

float random_normal(RandomKey key, uint32_t index) {
  const RandomKey angle_key = key.with(1);
  const float radius = std::sqrt(-2.0f * std::log(random_uniform(key, index)));
  const float angle =
      2.0f * std::numbers::pi_v<float> * random_uniform(angle_key, index);
  return radius * std::cos(angle);
}

void fill_uniform(RandomKey key, float low, float high, std::span<float> out) {
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = low + (high - low) * random_uniform(key, static_cast<uint32_t>(i));
  }
}

void fill_normal(RandomKey key, float mean, float deviation,
                 std::span<float> out) {
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = mean + deviation * random_normal(key, static_cast<uint32_t>(i));
  }
}

}  // namespace fovea
