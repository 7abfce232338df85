#include "fovea/explain/head_statistics.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fovea/base/check.h"

namespace fovea {
namespace {

Tensor matrix(const Shape& shape, const std::vector<float>& values) {
  return Tensor::from(shape, values);
}

TEST(HeadStatistics, OfAUniformRowAndAOneHotRow) {
  const Tensor w = matrix({2, 4}, {.25f, .25f, .25f, .25f, 0, 0, 0, 1});
  const int special[] = {3};
  const HeadStatistics s = head_statistics(w, special);
  EXPECT_NEAR(s.entropy, std::log(4.0) / 2, 1e-6);
  EXPECT_NEAR(s.largest, 0.625, 1e-6);
  EXPECT_NEAR(s.effective_keys, 2.5, 1e-6);
  EXPECT_NEAR(s.distance, (0.25 * (0 + 1 + 2 + 3) + 2) / 2, 1e-6);
  EXPECT_NEAR(s.special, 0.625, 1e-6);
  EXPECT_NEAR(s.monotonicity, 1, 1e-6);
}

TEST(HeadStatistics, MonotonicityHasTheSignOfTheOrder) {
  const Tensor back = matrix({3, 3}, {0, 0, 1, 0, 1, 0, 1, 0, 0});
  EXPECT_NEAR(head_statistics(back).monotonicity, -1, 1e-6);
  const Tensor same = matrix({2, 2}, {1, 0, 1, 0});
  EXPECT_TRUE(std::isnan(head_statistics(same).monotonicity));
}

TEST(HeadStatistics, LeavesOutQueriesThatSeeNothing) {
  const Tensor w = matrix({2, 2}, {0, 0, .5f, .5f});
  EXPECT_NEAR(head_statistics(w).entropy, std::log(2.0), 1e-6);
  EXPECT_THROW(head_statistics(Tensor::zeros({2, 2})), Error);
}

TEST(KeyCoverage, AddsUpWhatKeysGet) {
  const Tensor w = matrix({2, 3}, {.5f, .5f, 0, .25f, 0, .75f});
  EXPECT_EQ(key_coverage(w), (std::vector<float>{.75f, .5f, .75f}));
}

TEST(HeadDistance, HasTheNumbersOfTheSpecification) {  // SPEC E8
  const Tensor a = matrix({1, 2}, {1, 0}), b = matrix({1, 2}, {0, 1});
  EXPECT_NEAR(head_distance(a, b), 0.693147, 1e-6);
  const Tensor c = matrix({1, 2}, {.9f, .1f}), d = matrix({1, 2}, {.5f, .5f});
  EXPECT_NEAR(head_distance(c, d), 0.1017492, 1e-6);
  EXPECT_NEAR(head_distance(c, d), head_distance(d, c), 1e-9);
  EXPECT_NEAR(head_distance(c, c), 0, 1e-9);
}

TEST(HeadStatistics, DistancesOfAllHeadsAreSymmetric) {
  const std::vector<Tensor> heads = {Tensor::of({1, 2}, {1, 0}),
                                     Tensor::of({1, 2}, {0, 1}),
                                     Tensor::of({1, 2}, {1, 0})};
  const Tensor d = head_distances(heads);
  EXPECT_EQ(d.shape(), (Shape{3, 3}));
  EXPECT_NEAR(d[1], std::log(2.0), 1e-6);
  EXPECT_EQ(d[1], d[3]);
  EXPECT_NEAR(d[2], 0, 1e-6);
  EXPECT_EQ(d[0], 0);
}

}  // namespace
}  // namespace fovea
