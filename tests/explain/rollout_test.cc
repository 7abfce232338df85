#include "fovea/explain/rollout.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "fovea/base/check.h"
#include "fovea/base/rng.h"

namespace fovea {
namespace {

Tensor square(int64_t n, const std::vector<float>& values) {
  return Tensor::from({n, n}, values);
}

Tensor random_weights(int64_t n, uint64_t seed) {
  const Tensor w({n, n});
  fill_uniform(RandomKey(seed), 0, 1, w.span());
  for (int64_t i = 0; i < n; ++i) {
    float* row = w.data() + i * n;
    float sum = 0;
    for (int64_t j = 0; j < n; ++j) sum += row[j];
    for (int64_t j = 0; j < n; ++j) row[j] /= sum;
  }
  return w;
}

const std::vector<Tensor>& two_layers() {
  static const std::vector<Tensor> layers = {square(2, {.9f, .1f, .4f, .6f}),
                                             square(2, {.5f, .5f, .2f, .8f})};
  return layers;
}

TEST(Rollout, HasTheNumbersOfTheSpecification) {  // SPEC E7
  const Tensor r = attention_rollout(two_layers())[1];
  const float expected[] = {.7625f, .2375f, .275f, .725f};
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(r.data()[i], expected[i], 1e-6);
}

TEST(Rollout, RowsSumToOneInEveryLayer) {
  const std::vector<Tensor> layers = {
      random_weights(7, 1), random_weights(7, 2), random_weights(7, 3)};
  for (const Tensor& r : attention_rollout(layers)) {
    for (int64_t i = 0; i < 7; ++i) {
      float sum = 0;
      for (int64_t j = 0; j < 7; ++j) sum += r.data()[i * 7 + j];
      EXPECT_NEAR(sum, 1, 1e-5);
    }
  }
}

TEST(Rollout, PositionsThatLookAtThemselvesKeepTheirInput) {
  const Tensor own = square(2, {1, 0, 0, 1});
  const Tensor r = attention_rollout({own, own})[1];
  EXPECT_EQ(std::vector<float>(r.span().begin(), r.span().end()),
            (std::vector<float>{1, 0, 0, 1}));
}

TEST(Flow, OfOneLayerIsItsWeights) {
  const std::vector<float> flow =
      attention_flow({square(2, {.9f, .1f, .4f, .6f})}, 1);
  EXPECT_NEAR(flow[0], 0.2, 1e-6);
  EXPECT_NEAR(flow[1], 0.8, 1e-6);
}

// By hand: A1' = [[.95,.05],[.2,.8]], A2' = [[.75,.25],[.1,.9]].
// From 0: to 0 by 0 min(.75,.95) + by 1 min(.25,.2); to 1 min(.75,.05) +
// min(.25,.8).
TEST(Flow, IsTheLargestThatCapacitiesAllow) {
  const std::vector<float> flow = attention_flow(two_layers(), 0);
  EXPECT_NEAR(flow[0], .95, 1e-6);
  EXPECT_NEAR(flow[1], .30, 1e-6);
}

TEST(Flow, IsAtLeastWhatRolloutGivesAndAtMostWhatLeavesOrArrives) {
  const int64_t n = 6;
  const std::vector<Tensor> layers = {
      random_weights(n, 4), random_weights(n, 5), random_weights(n, 6)};
  const Tensor r = attention_rollout(layers)[2];
  for (int64_t i = 0; i < n; ++i) {
    const std::vector<float> flow = attention_flow(layers, i);
    for (int64_t j = 0; j < n; ++j) {
      EXPECT_GE(flow[j], r.data()[i * n + j] - 1e-5);
      EXPECT_LE(flow[j], 1 + 1e-5);
    }
  }
}

TEST(Rollout, RefusesLayersThatDoNotFit) {
  EXPECT_THROW(attention_rollout({}), Error);
  EXPECT_THROW(attention_rollout({Tensor::zeros({2, 3})}), Error);
  EXPECT_THROW(attention_flow(two_layers(), 2), Error);
}

}  // namespace
}  // namespace fovea
