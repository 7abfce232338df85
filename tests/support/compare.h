#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "fovea/tensor/tensor.h"

namespace fovea::testing {

// max |a - b| <= tolerance * max(max |b|, floor); b is the truth. NaN anywhere
// fails.
::testing::AssertionResult close(std::span<const float> a,
                                 std::span<const double> b, double tolerance,
                                 double floor = 1e-3);
::testing::AssertionResult close(std::span<const double> a,
                                 std::span<const double> b, double tolerance,
                                 double floor = 1e-3);
::testing::AssertionResult close(std::span<const float> a,
                                 std::span<const float> b, double tolerance,
                                 double floor = 1e-3);
::testing::AssertionResult close(const Tensor& a, std::span<const double> b,
                                 double tolerance, double floor = 1e-3);
// Every bit, zeros' signs and NaNs included.
::testing::AssertionResult same_bits(std::span<const float> a,
                                     std::span<const float> b);

// The law for backward passes: close() with 1e-4.
constexpr double kGradientTolerance = 1e-4;

// Runs `body` once for each instruction set of this CPU, then restores the
// best.
void on_every_target(const std::function<void()>& body);
// Runs `body` with each of these thread limits.
void with_threads(std::initializer_list<int> limits,
                  const std::function<void(int)>& body);

}  // namespace fovea::testing
