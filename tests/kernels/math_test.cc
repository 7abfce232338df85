#include <cmath>
#include <limits>
#include <span>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tests/kernels/math_test.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "fovea/kernels/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels {
namespace HWY_NAMESPACE {

template <class Fn>
void map(std::span<const float> x, std::span<float> y, Fn fn) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::ScalableTag<float> d;
  for (size_t i = 0; i < x.size(); i += hn::Lanes(d)) {
    hn::StoreU(fn(d, hn::LoadU(d, &x[i])), d, &y[i]);
  }
}

void MapExp(std::span<const float> x, std::span<float> y) {
  map(x, y, [](auto d, auto v) HWY_ATTR { return exp(d, v); });
}
void MapSigmoid(std::span<const float> x, std::span<float> y) {
  map(x, y, [](auto d, auto v) HWY_ATTR { return sigmoid(d, v); });
}
void MapTanh(std::span<const float> x, std::span<float> y) {
  map(x, y, [](auto d, auto v) HWY_ATTR { return tanh(d, v); });
}
void MapCoarseTanh(std::span<const float> x, std::span<float> y) {
  map(x, y, [](auto d, auto v) HWY_ATTR { return coarse_tanh(d, v); });
}

}  // namespace HWY_NAMESPACE
}  // namespace fovea::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "support/compare.h"
#include "support/effort.h"

namespace fovea::kernels {
namespace {

HWY_EXPORT(MapExp);
HWY_EXPORT(MapSigmoid);
HWY_EXPORT(MapTanh);
HWY_EXPORT(MapCoarseTanh);

using Map = void (*)(std::span<const float>, std::span<float>);
void map_exp(std::span<const float> x, std::span<float> y) {
  HWY_DYNAMIC_DISPATCH(MapExp)(x, y);
}
void map_sigmoid(std::span<const float> x, std::span<float> y) {
  HWY_DYNAMIC_DISPATCH(MapSigmoid)(x, y);
}
void map_tanh(std::span<const float> x, std::span<float> y) {
  HWY_DYNAMIC_DISPATCH(MapTanh)(x, y);
}
void map_coarse_tanh(std::span<const float> x, std::span<float> y) {
  HWY_DYNAMIC_DISPATCH(MapCoarseTanh)(x, y);
}

// Every n-th float from -limit to limit, both signs, tiny ones included.
std::vector<float> floats_up_to(float limit) {
  std::vector<float> all;
  const float ratio = 1.0f + 1e-4f * testing::effort(1, 100);
  for (float x = 1.2e-38f; x <= limit; x *= ratio) {
    all.push_back(x);
    all.push_back(-x);
  }
  while (all.size() % 16) all.push_back(0.0f);
  return all;
}

// The largest error in units of the last place of the true value.
double worst_ulp(Map fn, double (*truth)(double), float limit) {
  const std::vector<float> x = floats_up_to(limit);
  std::vector<float> y(x.size());
  fn(x, y);
  double worst = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double t = truth(x[i]);
    if (std::abs(t) < std::numeric_limits<float>::min()) continue;
    const double ulp = std::ldexp(1.0, std::ilogb(t) - 23);
    worst = std::max(worst, std::abs(y[i] - t) / ulp);
  }
  return worst;
}

double exact_sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

std::vector<float> at(Map fn, std::vector<float> x) {
  const size_t count = x.size();
  x.resize(16);
  std::vector<float> y(x.size());
  fn(x, y);
  y.resize(count);
  return y;
}

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(Math, ExpIsRightToTheLastPlaces) {
  testing::on_every_target(
      [] { EXPECT_LT(worst_ulp(map_exp, std::exp, 88.722f), 1.5); });
}

TEST(Math, SigmoidIsRightToTheLastPlaces) {
  testing::on_every_target(
      [] { EXPECT_LT(worst_ulp(map_sigmoid, exact_sigmoid, 87.0f), 2.5); });
}

TEST(Math, TanhIsRightToTheLastPlaces) {
  testing::on_every_target(
      [] { EXPECT_LT(worst_ulp(map_tanh, std::tanh, 1e30f), 2.5); });
}

TEST(Math, ExpEndsInZeroAndInfinity) {
  testing::on_every_target([] {
    const auto y = at(map_exp, {0, 88.73f, kInf, -87.4f, -kInf, kNan});
    EXPECT_EQ(y[0], 1);
    EXPECT_EQ(y[1], kInf);
    EXPECT_EQ(y[2], kInf);
    EXPECT_EQ(y[3], 0);
    EXPECT_EQ(y[4], 0);
    EXPECT_TRUE(std::isnan(y[5]));
  });
}

TEST(Math, SigmoidSaturates) {
  testing::on_every_target([] {
    const auto y = at(map_sigmoid, {0, 30, kInf, 1e30f, -kInf, -1e30f, kNan});
    EXPECT_EQ(y[0], 0.5f);
    for (int i : {1, 2, 3}) EXPECT_EQ(y[i], 1);
    for (int i : {4, 5}) EXPECT_LT(y[i], 1e-37f);
    for (int i : {4, 5}) EXPECT_GE(y[i], 0);
    EXPECT_TRUE(std::isnan(y[6]));
  });
}

TEST(Math, TanhIsOddAndSaturates) {
  testing::on_every_target([] {
    const auto y = at(map_tanh, {0, -0.0f, 10, kInf, -kInf, -1e30f, kNan});
    EXPECT_TRUE(testing::same_bits(std::span(y).first(6),
                                   std::vector<float>{0, -0.0f, 1, 1, -1, -1}));
    EXPECT_TRUE(std::isnan(y[6]));
  });
}

TEST(Math, CoarseTanhIsNearAndOddAndSaturates) {
  testing::on_every_target([] {
    const std::vector<float> x = floats_up_to(1e30f);
    std::vector<float> y(x.size());
    map_coarse_tanh(x, y);
    for (size_t i = 0; i < x.size(); ++i) {
      const double t = std::tanh(double{x[i]});
      ASSERT_NEAR(y[i], t, 5e-7 * std::abs(t)) << x[i];
    }
    const auto ends = at(map_coarse_tanh, {0, -0.0f, kInf, 2, -2, kNan});
    EXPECT_TRUE(testing::same_bits(std::span(ends).first(2),
                                   std::vector<float>{0, -0.0f}));
    EXPECT_NEAR(ends[2], 1, 5e-7);
    EXPECT_EQ(ends[3], -ends[4]);
    EXPECT_TRUE(std::isnan(ends[5]));
  });
}

}  // namespace
}  // namespace fovea::kernels
#endif  // HWY_ONCE
