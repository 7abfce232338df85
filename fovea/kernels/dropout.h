#pragma once

#include <span>

#include "fovea/base/rng.h"

namespace fovea::kernels {

// Which elements are dropped: element i is kept iff
// random_bits(key, i) >= uint32(rate * 2^32), and then scaled by 1 / (1 -
// rate).
struct Dropout {
  float rate = 0.0f;  // 0 <= rate < 1
  RandomKey key = RandomKey();
};

// y = dropout(x), or y += it. Its own backward pass: the mask is computed
// again. Indices must stay below 2^32.
void dropout(std::span<const float> x, const Dropout& drop, std::span<float> y,
             bool accumulate = false);

}  // namespace fovea::kernels
