#include "fovea/data/diagonal.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

namespace fovea {
namespace {

RC_GTEST_PROP(Diagonal, IsTheDefinition, ()) {
  const Lengths of{*rc::gen::inRange(1, 60), *rc::gen::inRange(1, 60)};
  const int j = *rc::gen::inRange(1, of.target + 1);
  const double tension = *rc::gen::inRange(1, 200) / 10.0;
  std::vector<float> weights(of.source);
  fill_diagonal(of, j, tension, 0.9, weights);
  double sum = 0;
  for (int i = 1; i <= of.source; ++i) {
    sum += std::exp(-tension * off_diagonal(of, i, j));
  }
  for (int i = 1; i <= of.source; ++i) {
    const double expected =
        0.9 * std::exp(-tension * off_diagonal(of, i, j)) / sum;
    RC_ASSERT(std::abs(weights[i - 1] - expected) < 1e-6);
  }
}

// Counts whose mean distance is that of the tension.
double distance_under(std::span<const DiagonalCounts> counts, double tension) {
  double distance = 0;
  for (const DiagonalCounts& group : counts) {
    std::vector<float> weights(group.of.source);
    for (int j = 1; j <= group.of.target; ++j) {
      fill_diagonal(group.of, j, tension, group.linked[j - 1], weights);
      for (int i = 1; i <= group.of.source; ++i) {
        distance += weights[i - 1] * off_diagonal(group.of, i, j);
      }
    }
  }
  return distance;
}

TEST(Diagonal, FitFindsTheTensionOfTheData) {
  const std::vector<DiagonalCounts> counts{
      {{5, 4}, {10, 9, 8, 10}}, {{9, 2}, {3, 4}}, {{1, 3}, {1, 1, 1}}};
  for (const double tension : {0.2, 1.0, 4.0, 12.0}) {
    const double distance = distance_under(counts, tension);
    EXPECT_NEAR(fit_tension(counts, distance, 4), tension, 1e-3);
  }
}

TEST(Diagonal, FitStaysInItsBounds) {
  const std::vector<DiagonalCounts> counts{{{5, 5}, {1, 1, 1, 1, 1}}};
  EXPECT_NEAR(fit_tension(counts, 0, 4), 20, 1e-6) << "all on the diagonal";
  EXPECT_NEAR(fit_tension(counts, 5, 4), 0.1, 1e-6) << "all far off";
  EXPECT_GT(fit_tension({}, 0, 4), 0);
}

}  // namespace
}  // namespace fovea
