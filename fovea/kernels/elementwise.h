#pragma once

#include <span>

namespace fovea::kernels {

// y += x
void add(std::span<const float> x, std::span<float> y);
// y += a * x
void add_scaled(float a, std::span<const float> x, std::span<float> y);
// z = x * y
void mul(std::span<const float> x, std::span<const float> y,
         std::span<float> z);
// z += x * y
void mul_add(std::span<const float> x, std::span<const float> y,
             std::span<float> z);

}  // namespace fovea::kernels
