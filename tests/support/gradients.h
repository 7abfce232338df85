#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <vector>

namespace fovea::testing {

using Doubles = std::vector<double>;

// A slow double-precision twin of an op: inputs to one result...
using Twin = std::function<Doubles(const std::vector<Doubles>& inputs)>;
// ...and its analytic gradient: inputs and dy to one gradient for each input.
using TwinGradient = std::function<std::vector<Doubles>(
    const std::vector<Doubles>& inputs, const Doubles& dy)>;

// SPEC Z5: central differences, step 1e-5, of sum(dy * twin(inputs)) against
// twin_gradient, |g-n| / max(1e-8, |g|+|n|) < 1e-6 (both below 1e-7 passes).
::testing::AssertionResult twin_gradient_is_right(
    const Twin& twin, const TwinGradient& gradient,
    const std::vector<Doubles>& inputs, const Doubles& dy);

}  // namespace fovea::testing
