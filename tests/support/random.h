#pragma once

#include <cstdint>
#include <vector>

#include "fovea/tensor/segments.h"
#include "fovea/tensor/tensor.h"

namespace fovea::testing {

// Standard normal numbers, the same ones for the same seed.
std::vector<double> random_doubles(int64_t count, uint64_t seed);
std::vector<float> random_floats(int64_t count, uint64_t seed);
Tensor random_tensor(const Shape& shape, uint64_t seed, float scale = 1.0f);
// Lengths from `shortest` to `longest`, both included.
std::vector<int> random_lengths(int count, int shortest, int longest,
                                uint64_t seed);

std::vector<float> to_float(const std::vector<double>& x);
std::vector<double> to_double(const Tensor& x);
std::vector<double> to_double(const std::vector<float>& x);

}  // namespace fovea::testing
