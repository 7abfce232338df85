#include "fovea/layers/init.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "fovea/base/check.h"

namespace fovea {
namespace {

double deviation(const Tensor& t) {
  double sum = 0, squares = 0;
  for (float x : t.span()) {
    sum += x;
    squares += double{x} * x;
  }
  const auto n = static_cast<double>(t.size());
  return std::sqrt(squares / n - sum / n * (sum / n));
}

TEST(Init, XavierKeepsWithinItsBoundAndFillsIt) {
  const Tensor w = xavier_init(100, 50, RandomKey(1));
  const float bound = std::sqrt(6.0f / 150.0f);
  const auto [low, high] =
      std::minmax_element(w.span().begin(), w.span().end());
  EXPECT_GE(*low, -bound);
  EXPECT_LE(*high, bound);
  EXPECT_NEAR(deviation(w), bound / std::sqrt(3.0), 0.005);
}

TEST(Init, HeHasTheDeviationOfItsInput) {
  EXPECT_NEAR(deviation(he_init({64, 16, 3, 3}, RandomKey(1))),
              std::sqrt(2.0 / 144), 0.003);
}

TEST(Init, RefusesWeightsWithoutElements) {
  EXPECT_THROW(xavier_init(0, 3, RandomKey(1)), Error);
  EXPECT_THROW(he_init({0, 3}, RandomKey(1)), Error);
}

}  // namespace
}  // namespace fovea
