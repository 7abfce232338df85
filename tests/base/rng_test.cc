#include "fovea/base/rng.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "support/effort.h"

namespace fovea {
namespace {

const int kDraws = testing::effort(1 << 20, 1 << 17);

// Chi-square of counts that should be equal, in deviations from its mean.
double unevenness(const std::vector<int>& counts) {
  double total = 0, chi2 = 0;
  for (int c : counts) total += c;
  const double expected = total / counts.size();
  for (int c : counts) chi2 += (c - expected) * (c - expected) / expected;
  const double freedom = static_cast<double>(counts.size()) - 1;
  return (chi2 - freedom) / std::sqrt(2 * freedom);
}

// Correlation of two streams of uniform numbers, in deviations from zero.
double correlation(const std::function<float(uint32_t)>& a,
                   const std::function<float(uint32_t)>& b) {
  double sum = 0;
  for (int i = 0; i < kDraws; ++i) {
    sum += (a(i) - 0.5) * (b(i) - 0.5) * 12;  // each has variance 1/12
  }
  return sum / std::sqrt(kDraws);
}

TEST(Rng, NeverChangesItsValues) {
  // Checkpoints, masks and tests rest on these.
  const RandomKey key = RandomKey(1).with(2).with("encoder");
  EXPECT_EQ(key.bits(), 0xbdcdfa2a086d3e83u);
  EXPECT_EQ(random_bits(key, 0), 0x840989efu);
  EXPECT_EQ(random_bits(key, 1), 0x4c582587u);
  EXPECT_EQ(random_bits(key, 2), 0x29b13464u);
  EXPECT_EQ(random_bits(key, 1000000), 0x2ca39a5eu);
  EXPECT_EQ(random_bits(key, 0xffffffffu), 0x91b4b23au);
  EXPECT_FLOAT_EQ(random_uniform(key, 0), 0.515770495f);
  EXPECT_NEAR(random_normal(key, 0), 1.11045086f, 1e-6);
}

TEST(Rng, FillsEveryByteOfTheBitsEvenly) {
  const RandomKey key = RandomKey(7).with("bytes");
  for (int shift : {0, 8, 16, 24}) {
    std::vector<int> counts(256);
    for (int i = 0; i < kDraws; ++i) {
      ++counts[random_bits(key, i) >> shift & 255];
    }
    EXPECT_LT(std::abs(unevenness(counts)), 4.5) << "from bit " << shift;
  }
}

TEST(Rng, FillsPairsOfNeighboursEvenly) {
  for (int distance : {1, 2, 64, 512, 1000}) {
    const RandomKey key = RandomKey(7).with("pairs").with(distance);
    std::vector<int> counts(1024);
    for (int i = 0; i < kDraws; ++i) {
      const uint32_t a = random_bits(key, i) >> 27;
      const uint32_t b = random_bits(key, i + distance) >> 27;
      ++counts[a << 5 | b];
    }
    EXPECT_LT(std::abs(unevenness(counts)), 4.5) << "distance " << distance;
  }
}

TEST(Rng, GivesIndependentStreamsToNeighbouringKeys) {
  const RandomKey base = RandomKey(3).with("layer");
  for (int step = 0; step < 20; ++step) {
    const RandomKey key = base.with(step), next = base.with(step + 1);
    EXPECT_LT(
        std::abs(correlation([&](auto i) { return random_uniform(key, i); },
                             [&](auto i) { return random_uniform(next, i); })),
        4.5)
        << "step " << step;
  }
}

TEST(Rng, TellsTheOrderAndTheSeedOfAKeyApart) {
  const RandomKey key(5);
  EXPECT_NE(key.with(1).with(2).bits(), key.with(2).with(1).bits());
  EXPECT_NE(key.with("ab").bits(), key.with("a").with("b").bits());
  EXPECT_NE(key.with(0).bits(), key.bits());
  EXPECT_NE(RandomKey(0).bits(), RandomKey(1).bits());
}

TEST(Rng, DrawsUniformNumbersInsideTheUnitInterval) {
  const RandomKey key(11);
  double sum = 0;
  for (int i = 0; i < kDraws; ++i) {
    const float u = random_uniform(key, i);
    ASSERT_TRUE(u > 0.0f && u < 1.0f);
    sum += u;
  }
  EXPECT_NEAR(sum / kDraws, 0.5, 4.5 / std::sqrt(12.0 * kDraws));
}

TEST(Rng, DrawsNormalNumbers) {
  std::vector<float> x(kDraws);
  fill_normal(RandomKey(12), 3.0f, 2.0f, x);
  double mean = 0, square = 0, cube = 0, fourth = 0;
  for (float v : x) mean += v / kDraws;
  for (float v : x) {
    const double z = (v - 3.0) / 2.0;
    square += z * z / kDraws;
    cube += z * z * z / kDraws;
    fourth += z * z * z * z / kDraws;
  }
  const double s = 4.5 / std::sqrt(kDraws);
  EXPECT_NEAR(mean, 3, 2 * s);
  EXPECT_NEAR(square, 1, std::sqrt(2.0) * s);
  EXPECT_NEAR(cube, 0, std::sqrt(15.0) * s);
  EXPECT_NEAR(fourth, 3, std::sqrt(96.0) * s);
}

TEST(Rng, DrawsIntegersBelowABoundEvenly) {
  std::vector<int> counts(7);
  for (int i = 0; i < kDraws; ++i) {
    const uint32_t drawn = random_below(RandomKey(13), i, 7);
    ASSERT_LT(drawn, 7u);
    ++counts[drawn];
  }
  EXPECT_LT(std::abs(unevenness(counts)), 4.5);
}

TEST(Rng, FillsBetweenTheBounds) {
  std::vector<float> x(1000);
  fill_uniform(RandomKey(14), -2.0f, 5.0f, x);
  for (float v : x) EXPECT_TRUE(v > -2.0f && v < 5.0f);
  EXPECT_EQ(x[3], -2.0f + 7.0f * random_uniform(RandomKey(14), 3));
}

}  // namespace
}  // namespace fovea
