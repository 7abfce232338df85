#include "fovea/kernels/clip.h"

#include <cmath>
#include <limits>

#include "support/compare.h"
#include "support/random.h"

namespace fovea::kernels {
namespace {

using namespace fovea::testing;

struct Arrays {
  std::vector<std::vector<float>> data;
  std::vector<std::span<float>> spans() { return {data.begin(), data.end()}; }
  std::vector<std::span<const float>> const_spans() const {
    return {data.begin(), data.end()};
  }
};

Arrays random_arrays() {
  Arrays arrays;
  for (int size : {3, 0, 1, 4096, 4097, 8191, 60001, 8, 9}) {
    arrays.data.push_back(random_floats(size, size));
  }
  return arrays;
}

TEST(GlobalNorm, IsTheRootOfAllSquaresWhateverTheThreads) {
  const Arrays arrays = random_arrays();
  long double sum = 0;
  for (const auto& array : arrays.data) {
    for (float v : array) sum += static_cast<long double>(v) * v;
  }
  const double expected = static_cast<double>(std::sqrt(sum));
  on_every_target([&] {
    double first = 0;
    with_threads({1, 2, 3, 4}, [&](int threads) {
      const double norm = global_norm(arrays.const_spans());
      if (threads == 1) first = norm;
      EXPECT_EQ(norm, first);
      EXPECT_NEAR(norm, expected, 1e-12 * expected);
    });
  });
  EXPECT_EQ(global_norm({}), 0);
}

TEST(GlobalNorm, NeitherOverflowsNorHidesInfinity) {
  Arrays arrays{{{3e30f, 4e30f}}};
  EXPECT_NEAR(global_norm(arrays.const_spans()), 5e30, 1e24);
  arrays.data[0][1] = std::numeric_limits<float>::infinity();
  EXPECT_TRUE(std::isinf(global_norm(arrays.const_spans())));
  arrays.data[0][1] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isnan(global_norm(arrays.const_spans())));
}

TEST(ClipFactor, BringsALargeNormDownToTheLimit) {
  EXPECT_EQ(clip_factor(10, 5), 0.5f);
  EXPECT_EQ(clip_factor(5, 5), 1.0f);
  EXPECT_EQ(clip_factor(1, 5), 1.0f);
  EXPECT_EQ(clip_factor(10, 0), 1.0f);
}

TEST(ScaleAll, MultipliesEveryElement) {
  on_every_target([] {
    with_threads({1, 2, 4}, [](int) {
      Arrays arrays = random_arrays(), expected = arrays;
      scale_all(arrays.spans(), -2.5f);
      for (size_t k = 0; k < arrays.data.size(); ++k) {
        for (float& v : expected.data[k]) v *= -2.5f;
        EXPECT_TRUE(same_bits(arrays.data[k], expected.data[k]));
      }
    });
  });
}

TEST(ScaleRows, MultipliesEachRowByItsOwnFactor) {
  on_every_target([] {
    std::vector<float> x = random_floats(3 * 11, 1), expected = x;
    const std::vector<float> factors = {2, 0, -1};
    scale_rows({x.data(), 3, 9, 11}, factors);
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 9; ++j) expected[i * 11 + j] *= factors[i];
    }
    EXPECT_TRUE(same_bits(x, expected));
  });
}

TEST(ClampAll, KeepsEveryElementWithinTheLimit) {
  on_every_target([] {
    Arrays arrays = random_arrays();
    const Arrays before = arrays;
    arrays.data[0][1] = std::numeric_limits<float>::quiet_NaN();
    clamp_all(arrays.spans(), 0.75f);
    EXPECT_TRUE(std::isnan(arrays.data[0][1]));
    for (size_t k = 1; k < arrays.data.size(); ++k) {
      for (size_t i = 0; i < arrays.data[k].size(); ++i) {
        const float expected = std::clamp(before.data[k][i], -0.75f, 0.75f);
        EXPECT_EQ(arrays.data[k][i], expected);
      }
    }
  });
}

}  // namespace
}  // namespace fovea::kernels
