#include "fovea/kernels/dropout.h"

#include <cmath>

#include "support/compare.h"
#include "support/effort.h"
#include "support/random.h"
#include "support/twin_norm.h"

namespace fovea::kernels {
namespace {

using namespace testing;  // NOLINT: the support library

// The law, element by element.
std::vector<float> by_law(const std::vector<float>& x, const Dropout& drop) {
  std::vector<float> y(x.size());
  const auto least = static_cast<uint32_t>(drop.rate * 4294967296.0);
  for (size_t i = 0; i < x.size(); ++i) {
    const bool kept = random_bits(drop.key, static_cast<uint32_t>(i)) >= least;
    y[i] = kept ? x[i] * (1.0f / (1.0f - drop.rate)) : 0.0f;
  }
  return y;
}

TEST(Dropout, FollowsTheScalarLawBitForBit) {
  on_every_target([] {
    for (int n : {0, 1, 7, 8, 9, 33, 50001}) {
      for (float rate : {0.0f, 0.1f, 0.5f, 0.999f}) {
        const Dropout drop{rate, RandomKey(n).with("drop")};
        std::vector<float> x = random_floats(n, 1);
        for (float& v : x) v = std::abs(v);  // no negative zeros
        with_threads({1, 2, 4}, [&](int) {
          std::vector<float> y(n);
          dropout(x, drop, y);
          EXPECT_TRUE(same_bits(y, by_law(x, drop)));
        });
      }
    }
  });
}

TEST(Dropout, MatchesTheTwinAndAddsUp) {
  const Dropout drop{0.3f, RandomKey(4)};
  const auto x = random_floats(1001, 1);
  const Doubles expected = twin_dropout(to_double(x), drop.rate, drop.key);
  on_every_target([&] {
    std::vector<float> y(1001), more(1001, 1.0f);
    dropout(x, drop, y);
    EXPECT_TRUE(close(y, expected, 1e-6));
    dropout(x, drop, more, true);
    for (int i = 0; i < 1001; ++i) ASSERT_FLOAT_EQ(more[i], 1 + y[i]);
  });
}

TEST(Dropout, DropsTheShareItIsAskedTo) {
  const int n = effort(1'000'000, 100'000);
  const std::vector<float> ones(n, 1.0f);
  std::vector<float> y(n);
  for (float rate : {0.1f, 0.25f, 0.5f, 0.9f}) {
    dropout(ones, {rate, RandomKey(9).with("share")}, y);
    double dropped = 0;
    for (float v : y) dropped += v == 0;
    const double deviation = std::sqrt(n * rate * (1 - rate));
    EXPECT_NEAR(dropped, n * rate, 4 * deviation);
  }
}

TEST(Dropout, DropsNeighboursAndOtherKeysIndependently) {
  const int n = effort(1'000'000, 100'000);
  const std::vector<float> ones(n, 1.0f);
  std::vector<float> y(n), z(n);
  dropout(ones, {0.5f, RandomKey(1).with(1)}, y);
  dropout(ones, {0.5f, RandomKey(1).with(2)}, z);
  double neighbours = 0, keys = 0;
  for (int i = 0; i + 1 < n; ++i) {
    neighbours += (y[i] == 0) == (y[i + 1] == 0);
    keys += (y[i] == 0) == (z[i] == 0);
  }
  EXPECT_NEAR(neighbours / n, 0.5, 2.0 / std::sqrt(n));  // 4 deviations
  EXPECT_NEAR(keys / n, 0.5, 2.0 / std::sqrt(n));
}

}  // namespace
}  // namespace fovea::kernels
