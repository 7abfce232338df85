#include "fovea/eval/rank_correlation.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <vector>

#include "fovea/base/check.h"

namespace fovea {
namespace {

using List = std::vector<float>;

// SPEC E8.
TEST(KendallTau, GivesTheNumbersOfTheSpecification) {
  EXPECT_NEAR(
      kendall_tau_b(List{.5f, .3f, .15f, .05f}, List{.4f, .1f, .3f, .2f}).tau,
      1.0 / 3, 1e-9);
  EXPECT_NEAR(kendall_tau_b(List{1, 2, 2, 3}, List{1, 2, 3, 3}).tau, 0.8, 1e-9);
}

// All orders of four things, counted by hand: 1, 3, 5 have 0, 1, 2 inversions.
TEST(KendallTau, HasAnExactProbabilityWithoutTies) {
  const auto four =
      kendall_tau_b(List{.5f, .3f, .15f, .05f}, List{.4f, .1f, .3f, .2f});
  EXPECT_NEAR(four.p, 2 * (1 + 3 + 5) / 24.0, 1e-12);
  EXPECT_NEAR(kendall_tau_b(List{1, 2, 3, 4}, List{1, 2, 3, 4}).p, 2 / 24.0,
              1e-12);
}

// By the formula with ties, in a calculator: balance 4, variance 6.8889.
TEST(KendallTau, ApproximatesTheProbabilityWithTies) {
  const auto tied = kendall_tau_b(List{1, 2, 2, 3}, List{1, 2, 3, 3});
  const double variance = (12 * 13 - 18 - 18) / 18.0 + 2.0 / 12;
  EXPECT_NEAR(tied.p, std::erfc(4 / std::sqrt(2 * variance)), 1e-12);
}

TEST(KendallTau, IsNoNumberForAConstantList) {
  const auto constant = kendall_tau_b(List{1, 1, 1}, List{1, 2, 3});
  EXPECT_TRUE(std::isnan(constant.tau));
  EXPECT_EQ(constant.p, 1.0);
  EXPECT_TRUE(std::isnan(kendall_tau_b(List{}, List{}).tau));
}

TEST(KendallTau, RefusesListsOfDifferentLengths) {
  EXPECT_THROW(kendall_tau_b(List{1, 2}, List{1}), Error);
}

RC_GTEST_PROP(KendallTau, IsOneForEqualListsAndMinusOneForOppositeOnes, ()) {
  const auto raw =
      *rc::gen::container<std::vector<int>>(rc::gen::inRange(-5, 40));
  List x = {-6, 40};  // never constant
  x.insert(x.end(), raw.begin(), raw.end());
  List y = x;
  for (float& v : y) v = -v;
  RC_ASSERT(std::abs(kendall_tau_b(x, x).tau - 1) < 1e-12);
  RC_ASSERT(std::abs(kendall_tau_b(x, y).tau + 1) < 1e-12);
}

RC_GTEST_PROP(KendallTau, IsSymmetricAndBounded, ()) {
  const auto pairs = *rc::gen::container<std::vector<std::pair<int, int>>>(
      rc::gen::pair(rc::gen::inRange(0, 9), rc::gen::inRange(0, 9)));
  List x = {0, 9, 3}, y = {9, 0, 4};
  for (const auto& [a, b] : pairs) {
    x.push_back(static_cast<float>(a));
    y.push_back(static_cast<float>(b));
  }
  const auto one = kendall_tau_b(x, y), other = kendall_tau_b(y, x);
  RC_ASSERT(std::abs(one.tau - other.tau) < 1e-12);
  RC_ASSERT(std::abs(one.tau) <= 1);
  RC_ASSERT(one.p >= 0 && one.p <= 1);
}

TEST(Spearman, HasTheNumbersOfTheSpecification) {  // SPEC F11
  const std::vector<float> x = {.5f, .3f, .15f, .05f}, y = {.4f, .1f, .3f, .2f};
  EXPECT_NEAR(spearman(x, y), 0.4, 1e-12);
  EXPECT_NEAR(spearman(x, std::vector<float>{9, 8, 2, 1}), 1, 1e-12);
  EXPECT_NEAR(spearman(x, std::vector<float>{1, 2, 8, 9}), -1, 1e-12);
  EXPECT_TRUE(std::isnan(spearman(x, std::vector<float>(4, 1.0f))));
  EXPECT_THROW(spearman(x, std::vector<float>(3)), Error);
}

}  // namespace
}  // namespace fovea
