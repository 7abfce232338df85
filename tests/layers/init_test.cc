#include "fovea/layers/init.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "fovea/base/check.h"
#include "fovea/base/parallel.h"
#include "support/compare.h"

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

TEST(Init, OrthogonalRowsHaveLengthOneAndStandAtRightAngles) {
  for (int width : {1, 2, 33, 400}) {
    const Tensor w = orthogonal_init(width, RandomKey(1));
    for (int i = 0; i < width; ++i) {
      for (int j = 0; j <= i; ++j) {
        double dot = 0;
        for (int k = 0; k < width; ++k) {
          dot += double{w[i * width + k]} * w[j * width + k];
        }
        ASSERT_NEAR(dot, i == j, 1e-5) << i << " " << j;
      }
    }
  }
}

TEST(Init, OrthogonalDoesNotDependOnThreads) {
  const auto with = [](int threads) {
    const ThreadLimit limit(threads);
    return orthogonal_init(150, RandomKey(1));
  };
  EXPECT_TRUE(testing::same_bits(with(1).span(), with(3).span()));
}

TEST(Init, OfRecurrentModelsIsThatOfTheirPapers) {
  const RandomKey key(1);
  EXPECT_NEAR(deviation(input_init(RecurrentInit::kBahdanau, 3, 40, 50, key)),
              0.01, 0.001);
  const Tensor luong = recurrent_init(RecurrentInit::kLuong, 4, 30, key);
  EXPECT_EQ(luong.shape(), Shape({120, 30}));
  EXPECT_NEAR(deviation(luong), 0.1 / std::sqrt(3.0), 0.003);
  EXPECT_NEAR(deviation(recurrent_init(RecurrentInit::kBahdanau, 3, 25, key)),
              0.2, 1e-6);
  // Each gate has its own fan.
  EXPECT_NEAR(deviation(input_init(RecurrentInit::kXavier, 3, 40, 50, key)),
              std::sqrt(6.0 / 90 / 3), 0.005);
}

TEST(Init, RefusesWeightsWithoutElements) {
  EXPECT_THROW(xavier_init(0, 3, RandomKey(1)), Error);
  EXPECT_THROW(he_init({0, 3}, RandomKey(1)), Error);
  EXPECT_THROW(orthogonal_init(0, RandomKey(1)), Error);
}

TEST(Init, FromAFileDrawsNothingAndTakesNoMemory) {
  {
    const InitFromFile file(1000);
    const Tensor w = xavier_init(4, 5, RandomKey(1));
    EXPECT_FALSE(w);
    EXPECT_EQ(w.shape(), Shape({4, 5}));
    EXPECT_FALSE(recurrent_init(RecurrentInit::kXavier, 3, 4, RandomKey(1)));
    EXPECT_EQ(slice_lengths(w).shape(), Shape({4}));
  }
  EXPECT_TRUE(xavier_init(4, 5, RandomKey(1)));
}

TEST(Init, FromAFileGivesNoMoreThanTheFileHas) {
  const InitFromFile file(50);
  normal_init({6, 7}, RandomKey(1), 1);
  EXPECT_THROW(normal_init({3, 3}, RandomKey(1), 1), Error);
  EXPECT_THROW(uniform_init({1 << 30, 1 << 29}, RandomKey(1), 1), Error);
  uniform_init({8}, RandomKey(1), 1);
}

}  // namespace
}  // namespace fovea
