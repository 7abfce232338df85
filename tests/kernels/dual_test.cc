#include "fovea/kernels/dual.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace fovea::kernels {
namespace {

using D = Dual<double>;

// The slope of f at x by dual numbers and by a central difference.
template <class Fn>
void expect_right_slope(Fn f, double x) {
  constexpr double kStep = 1e-6;
  const D y = f(D(x, 1.0));
  EXPECT_DOUBLE_EQ(y.value, f(x));
  EXPECT_NEAR(y.slope, (f(x + kStep) - f(x - kStep)) / (2 * kStep),
              1e-8 * (1 + std::abs(y.slope)));
}

TEST(Dual, HasTheSlopeOfEveryOperation) {
  for (double x : {0.3, 1.7, 4.0}) {
    expect_right_slope([](auto s) { return -s + 2 - s * s; }, x);
    expect_right_slope([](auto s) { return 3 * s * (s - 1) + s / 2; }, x);
    expect_right_slope([](auto s) { return 1 - (s * s + 1) / (s + 5); }, x);
    expect_right_slope([](auto s) { return decltype(s)(2) / s; }, x);
    expect_right_slope([](auto s) { return s > 1 ? s * s : s; }, x);
    expect_right_slope(
        [](auto s) { return std::max(s, decltype(s)(1)) * 2.5f; }, x);
  }
}

TEST(Dual, HasTheSlopeOfEveryFunction) {
  using std::abs, std::exp, std::log, std::sqrt, std::tanh;
  for (double x : {0.3, 1.7, 4.0}) {
    expect_right_slope([](auto s) { return abs(s) + abs(1 - 2 * s); }, x);
    expect_right_slope([](auto s) { return exp(s / 3 - 1); }, x);
    expect_right_slope([](auto s) { return log(1 + s * s); }, x);
    expect_right_slope([](auto s) { return sqrt(s + 2); }, x);
    expect_right_slope([](auto s) { return 30 * tanh(s / 30); }, x);
  }
}

TEST(Dual, ComparesByValue) {
  EXPECT_TRUE(D(1, 5) < D(2, 0) && D(2, 0) > 1 && D(1, 2) <= 1 && D(1) >= 1);
  EXPECT_FALSE(D(2, 0) < D(1, 5) || D(1, 0) > 2 || D(2) <= 1 || D(1) >= 2);
}

TEST(Dual, StaysFiniteTimesAPlainNumberNextToInfinity) {
  const Dual<float> y = 2.0f * Dual<float>(INFINITY, 1.0f);
  EXPECT_EQ(y.slope, 2.0f);
}

}  // namespace
}  // namespace fovea::kernels
