#include "fovea/decode/sampling.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "fovea/base/rng.h"
#include "support/chi_square.h"

namespace fovea {
namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();
const std::vector<float> kScores{std::log(0.1f) + 3, std::log(0.4f) + 3, kNever,
                                 std::log(0.3f) + 3, std::log(0.2f) + 3};

std::vector<int> counts(const SearchConfig& config) {
  std::vector<int> of(kScores.size());
  for (uint32_t i = 0; i < 20000; ++i) {
    ++of[draw(kScores, config, random_uniform(RandomKey(4), i))];
  }
  return of;
}

// 16.3 is exceeded once in a thousand times with three degrees of freedom.
TEST(Draw, FollowsTheProbabilities) {
  const std::vector<int> of = counts({});
  EXPECT_EQ(of[2], 0);
  EXPECT_LT(
      testing::chi_square({of[0], of[1], of[3], of[4]}, {0.1, 0.4, 0.3, 0.2}),
      16.3);
}

TEST(Draw, ATemperatureSharpens) {
  const std::vector<int> of = counts({.temperature = 0.5f});
  EXPECT_LT(
      testing::chi_square({of[0], of[1], of[3], of[4]},
                          {0.01 / 0.3, 0.16 / 0.3, 0.09 / 0.3, 0.04 / 0.3}),
      16.3);
}

TEST(Draw, TopKKeepsTheLikeliest) {
  const std::vector<int> of = counts({.top_k = 2});
  EXPECT_EQ(of[0] + of[4], 0);
  EXPECT_LT(testing::chi_square({of[1], of[3]}, {4.0 / 7, 3.0 / 7}), 10.8);
}

TEST(Draw, TopPKeepsAsManyAsItTakes) {
  const std::vector<int> of = counts({.top_p = 0.6f});
  EXPECT_EQ(of[0] + of[4], 0);
  EXPECT_LT(testing::chi_square({of[1], of[3]}, {4.0 / 7, 3.0 / 7}), 10.8);
}

}  // namespace
}  // namespace fovea
