#pragma once

#include <span>

#include "fovea/kernels/view.h"

namespace fovea::kernels {

// Square root of the sum of all squares, summed in double in an order that does
// not depend on the threads. NaN or infinite if an element is.
double global_norm(std::span<const std::span<const float>> arrays);

// What gradients of this norm are multiplied by so that it is at most `limit`.
// 1 where there is no limit (<= 0).
float clip_factor(double norm, double limit);

// x *= factor, for every element.
void scale_all(std::span<const std::span<float>> arrays, float factor);

// row i *= factors[i]
void scale_rows(MatrixView x, std::span<const float> factors);

// Every element into [-limit, limit]; NaN stays NaN.
void clamp_all(std::span<const std::span<float>> arrays, float limit);

}  // namespace fovea::kernels
