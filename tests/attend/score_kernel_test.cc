#include "fovea/attend/score_kernel.h"

#include <cmath>
#include <limits>

#include "fovea/base/check.h"
#include "support/compare.h"
#include "support/random.h"
#include "support/twin_attend.h"

namespace fovea {
namespace {

using namespace testing;  // NOLINT: the support library

double squared_distance(const TwinPair& pair) {
  double sum = 0;
  for (size_t i = 0; i < pair.q().size(); ++i) {
    sum += std::pow(pair.q()[i] - pair.k()[i], 2);
  }
  return sum;
}

using Kernel = std::function<double(double)>;  // of d^2

void check_kernel(const std::string& name, const std::string& option,
                  const Kernel& kernel) {
  for (int heads : {1, 2}) {
    check_attend({.problem = {.config = {.score = name,
                                         .heads = heads,
                                         .kv_heads = 1,
                                         .options = {option}}},
                  .score = [&](const TwinPair& pair) {
                    return std::log(kernel(squared_distance(pair)));
                  }});
  }
}

TEST(InverseDistanceScore, EqualsItsTwin) {
  check_kernel("inverse_distance", "power=1",
               [](double x) { return 1 / std::sqrt(x); });
  check_kernel("inverse_distance", "power=3",
               [](double x) { return std::pow(x, -1.5); });
}

TEST(GaussianScore, EqualsItsTwin) {
  check_kernel("gaussian", "width=2",
               [](double x) { return std::exp(-x / 8); });
}

TEST(EpanechnikovScore, EqualsItsTwin) {
  for (double width : {4.0, 2.0}) {  // with and without keys in reach
    check_kernel(
        "epanechnikov", "width=" + std::to_string(width),
        [=](double x) { return std::max(0.0, 1 - x / (width * width)); });
  }
}

TEST(BoxcarScore, EqualsItsTwin) {
  check_kernel("boxcar", "width=3",
               [](double x) { return x <= 9 ? 1.0 : 0.0; });
}

// SPEC A10: what does a box of this size weigh?
float weight_of_box(float size, ComposedConfig config) {
  return attend_one(config,
                    {Tensor::full({1, 1}, size), Tensor::of({2, 1}, {300, 400}),
                     Tensor::of({2, 1}, {30, 40})})
      .context.value()[0];
}

TEST(InverseDistanceScore, WeighsTheBoxesOfTheSpecification) {
  const ComposedConfig config = bare_config("inverse_distance");
  EXPECT_NEAR(weight_of_box(360, config), 36.0, 1e-5);
  EXPECT_NEAR(weight_of_box(350, config), 35.0, 1e-5);
  EXPECT_EQ(weight_of_box(300, config), 30.0f);
  EXPECT_EQ(weight_of_box(400, config), 40.0f);
  // A high power: the nearest.
  EXPECT_NEAR(weight_of_box(360, bare_config("inverse_distance", {"power=99"})),
              40.0, 1e-5);
}

// Not the weights of the slides: the softmax of similarities.
TEST(InverseDistanceScore, CanBeFollowedByASoftmax) {
  ComposedConfig config = bare_config("inverse_distance");
  config.normaliser = "softmax";
  EXPECT_NEAR(weight_of_box(360, config), 35.02, 0.005);
  EXPECT_NEAR(weight_of_box(300, config), 30.0, 1e-5);
}

TEST(InverseDistanceScore, SharesTheWeightAmongEqualKeysWithoutNan) {
  const Var q = Var::parameter(Tensor::full({1, 1}, 2.0f));
  const Var k = Var::parameter(Tensor::of({4, 1}, {2, 1, 2, 2.5}));
  const Attended a = attend_one(bare_config("inverse_distance"),
                                {q, k, Tensor::zeros({4, 1})});
  EXPECT_TRUE(close(a.weights.values.value(), Doubles{.5, 0, .5, 0}, 0));
  a.weights.values.backward(Tensor::of({4}, {1, 2, 3, 4}));
  EXPECT_EQ(q.grad()[0], 0);
  for (float x : k.grad().span()) EXPECT_EQ(x, 0);
}

TEST(GaussianScore, TendsToTheNearestKeyAndToTheMean) {
  EXPECT_NEAR(weight_of_box(360, bare_config("gaussian", {"width=1"})), 40,
              1e-5);
  EXPECT_NEAR(weight_of_box(360, bare_config("gaussian", {"width=1e6"})), 35,
              1e-4);
}

// Expand the square: |q|^2 is the same for a row, |k|^2 for all keys.
TEST(GaussianScore, IsTheScaledDotProductOfKeysOfOneLength) {
  const Tensor q = random_tensor({5, 4}, 1), k = random_tensor({7, 4}, 2);
  for (int i = 0; i < 7; ++i) {
    double square = 0;
    for (int j = 0; j < 4; ++j) square += std::pow(k[i * 4 + j], 2);
    for (int j = 0; j < 4; ++j) {
      k[i * 4 + j] *= 2 / static_cast<float>(std::sqrt(square));
    }
  }
  ComposedConfig dot = bare_config("scaled_dot");
  dot.scale = 1 / (1.5f * 1.5f);
  const Attended a =
      attend_one(bare_config("gaussian", {"width=1.5"}), {q, k, k});
  const Attended b = attend_one(dot, {q, k, k});
  EXPECT_TRUE(close(a.weights.values.value().span(),
                    b.weights.values.value().span(), 1e-5));
}

TEST(CompactKernels, GiveNothingToAQueryThatIsFarFromAllKeys) {
  for (const char* name : {"boxcar", "epanechnikov"}) {
    const Attended a = attend_one(
        bare_config(name), {Var::parameter(Tensor::full({1, 1}, 9.0f)),
                            Tensor::zeros({2, 1}), Tensor::full({2, 1}, 3.0f)});
    EXPECT_TRUE(close(a.weights.values.value(), Doubles{0, 0}, 0)) << name;
    EXPECT_EQ(a.context.value()[0], 0) << name;
  }
}

TEST(KernelScores, RefuseWidthsAndPowersOutOfRange) {
  const auto make = [](const char* name, const char* option) {
    return new_attention(bare_config(name, {option}), {.query = 4});
  };
  EXPECT_THROW(make("gaussian", "width=0"), Error);
  EXPECT_THROW(make("boxcar", "width=1e30"), Error);
  EXPECT_THROW(make("inverse_distance", "power=0"), Error);
}

}  // namespace
}  // namespace fovea
