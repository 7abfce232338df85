#include "fovea/eval/distribution_distance.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "fovea/base/check.h"

namespace fovea {
namespace {

using List = std::vector<float>;

// SPEC E8.
TEST(DistributionDistance, GivesTheNumbersOfTheSpecification) {
  EXPECT_NEAR(js_divergence(List{1, 0}, List{0, 1}), 0.693147, 1e-6);
  EXPECT_NEAR(js_divergence(List{.9f, .1f}, List{.5f, .5f}), 0.1017492, 1e-6);
  EXPECT_NEAR(total_variation(List{.9f, .1f}, List{.5f, .5f}), 0.4, 1e-6);
}

TEST(DistributionDistance, OfKullbackAndLeiblerHasADirection) {
  EXPECT_NEAR(kl_divergence(List{.9f, .1f}, List{.5f, .5f}),
              .9 * std::log(1.8) + .1 * std::log(.2), 1e-6);
  EXPECT_NEAR(kl_divergence(List{.5f, .5f}, List{.9f, .1f}),
              .5 * std::log(5 / 9.0) + .5 * std::log(5.0), 1e-6);
}

TEST(DistributionDistance, RefusesListsOfDifferentLengths) {
  EXPECT_THROW(js_divergence(List{1}, List{.5f, .5f}), Error);
}

List normalised(const std::vector<int>& counts) {
  const float sum =
      static_cast<float>(std::accumulate(counts.begin(), counts.end(), 0));
  List p;
  for (const int count : counts) p.push_back(static_cast<float>(count) / sum);
  return p;
}

RC_GTEST_PROP(DistributionDistance, IsSymmetricBoundedAndZeroForEqualOnes, ()) {
  const auto size = *rc::gen::inRange<size_t>(1, 20);
  const auto counts =
      rc::gen::container<std::vector<int>>(size, rc::gen::inRange(0, 1000));
  std::vector<int> a = *counts, b = *counts;
  a[0] = b[size - 1] = 1;
  const List p = normalised(a), q = normalised(b);
  RC_ASSERT(js_divergence(p, q) == js_divergence(q, p));
  RC_ASSERT(js_divergence(p, q) <= std::log(2.0));
  RC_ASSERT(js_divergence(p, q) >= 0);
  RC_ASSERT(js_divergence(p, p) == 0);
  RC_ASSERT(total_variation(p, q) == total_variation(q, p));
  RC_ASSERT(total_variation(p, q) <= 1 + 1e-6);
}

}  // namespace
}  // namespace fovea
