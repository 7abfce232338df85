#include "fovea/decode/rank.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace fovea {
namespace {

TEST(LengthNormalised, HasThePublishedValues) {
  EXPECT_NEAR(length_normalised(-1, 1, 0.6f), -1, 1e-6);
  EXPECT_NEAR(length_normalised(-1, 10, 0.6f), -1 / 1.732862, 1e-6);
  EXPECT_NEAR(length_normalised(-1, 20, 0.6f), -1 / 2.354362, 1e-6);
}

TEST(Coverage, IsZeroWhenEveryWordHasHadOneWholeAttention) {
  const std::vector<float> once{1, 0, 0, 1};
  EXPECT_FLOAT_EQ(coverage(once, 2), 0);
  const std::vector<float> uneven{0.75f, 0.25f, 0.75f, 0.25f};
  EXPECT_NEAR(coverage(uneven, 2), std::log(0.5), 1e-6);
}

TEST(Rank, TakesWhatCoverageLacksFromTheScore) {
  Hypothesis h{.ids = {4},
               .log_probabilities = {-1.0f, -0.5f},
               .finished = true,
               .weights = {0.75f, 0.25f, 0.75f, 0.25f}};
  rank(h, 2, {.length_penalty = 0, .coverage_penalty = 2});
  EXPECT_FLOAT_EQ(h.log_probability, -1.5f);
  EXPECT_NEAR(h.score, -1.5 + 2 * std::log(0.5), 1e-5);
}

}  // namespace
}  // namespace fovea
