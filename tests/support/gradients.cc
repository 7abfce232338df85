#include "support/gradients.h"

#include <algorithm>
#include <cmath>

namespace fovea::testing {
namespace {

double weighted_sum(const Doubles& y, const Doubles& dy) {
  double sum = 0;
  for (size_t i = 0; i < y.size(); ++i) sum += y[i] * dy[i];
  return sum;
}

}  // namespace

::testing::AssertionResult twin_gradient_is_right(
    const Twin& twin, const TwinGradient& gradient,
    const std::vector<Doubles>& inputs, const Doubles& dy) {
  constexpr double kStep = 1e-5;
  const std::vector<Doubles> analytic = gradient(inputs, dy);
  if (analytic.size() != inputs.size()) {
    return ::testing::AssertionFailure() << analytic.size() << " gradients for "
                                         << inputs.size() << " inputs";
  }
  std::vector<Doubles> moved = inputs;
  for (size_t k = 0; k < inputs.size(); ++k) {
    for (size_t i = 0; i < inputs[k].size(); ++i) {
      moved[k][i] = inputs[k][i] + kStep;
      const double up = weighted_sum(twin(moved), dy);
      moved[k][i] = inputs[k][i] - kStep;
      const double down = weighted_sum(twin(moved), dy);
      moved[k][i] = inputs[k][i];
      const double n = (up - down) / (2 * kStep);
      const double g = analytic[k].at(i);
      const double error =
          std::abs(g - n) / std::max(1e-8, std::abs(g) + std::abs(n));
      const bool tiny = std::abs(g) < 1e-7 && std::abs(n) < 1e-7;
      // Differences of doubles carry noise of about 1e-10 at this step.
      if (!(error < 1e-6 || tiny || std::abs(g - n) < 1e-9)) {
        return ::testing::AssertionFailure()
               << "input " << k << " element " << i << ": analytic " << g
               << ", numeric " << n;
      }
    }
  }
  return ::testing::AssertionSuccess();
}

}  // namespace fovea::testing
