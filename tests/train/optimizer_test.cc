#include "fovea/train/optimizer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "fovea/autograd/elementwise.h"
#include "fovea/autograd/reduce.h"
#include "fovea/base/check.h"

namespace fovea {
namespace {

// f = 1/2 |w|^2, whose gradient is w.
struct Quadratic {
  Var w = Var::parameter(Tensor::of({1, 3}, {1.0f, -2.0f, 0.5f}));
  Var bias = Var::parameter(Tensor::of({2}, {1.0f, 1.0f}));

  void params(Params& p) {
    p("w", w);
    p("bias", bias);
  }
  void backward() const {
    (scale(sum(w * w), 0.5f) + scale(sum(bias * bias), 0.5f)).backward();
  }
};

// The first number after some steps of rate 0.1.
double after(OptimizerKind kind, int steps, OptimizerConfig config = {}) {
  Quadratic q;
  config.optimizer = kind;
  config.clip_norm = 0;
  Optimizer optimizer(config, Params(q));
  for (int step = 1; step <= steps; ++step) {
    q.backward();
    optimizer.step(step, 0.1f, optimizer.gradient_norm());
  }
  return q.w.value()[0];
}

TEST(Optimizer, TheFirstStepOfAdamIsTheRateInEveryCoordinate) {
  Quadratic q;
  Optimizer optimizer({}, Params(q));
  q.backward();
  optimizer.step(1, 0.1f, optimizer.gradient_norm());
  EXPECT_NEAR(q.w.value()[0], 0.9, 1e-6);
  EXPECT_NEAR(q.w.value()[1], -1.9, 1e-6);
  EXPECT_NEAR(q.w.value()[2], 0.4, 1e-6);
}

TEST(Optimizer, MatchesTracesComputedByHand) {
  EXPECT_NEAR(after(OptimizerKind::kSgd, 3, {.momentum = 0}), 0.729, 1e-6);
  // v: 1, 1.8, 2.34; w: 0.9, 0.72, 0.486.
  EXPECT_NEAR(after(OptimizerKind::kSgd, 3), 0.486, 1e-6);
  // v: 1, 1.71; g + 0.9 v: 1.9, 2.349.
  EXPECT_NEAR(after(OptimizerKind::kNesterov, 1), 0.81, 1e-6);
  EXPECT_NEAR(after(OptimizerKind::kNesterov, 2), 0.5751, 1e-6);
  // w: 1 - .1 = .9; sum 1.81, .9 - .1 * .9 / 1.345362.
  EXPECT_NEAR(after(OptimizerKind::kAdagrad, 1), 0.9, 1e-6);
  EXPECT_NEAR(after(OptimizerKind::kAdagrad, 2), 0.833103, 1e-5);
  // Mean of squares 0.01: the first step is 0.1 / 0.1.
  EXPECT_NEAR(after(OptimizerKind::kRmsprop, 1), 0.0, 1e-5);
  // sqrt(1e-6) / sqrt(0.05 + 1e-6) * 0.1.
  EXPECT_NEAR(after(OptimizerKind::kAdadelta, 1), 1 - 4.47209e-4, 1e-6);
}

TEST(Optimizer, EveryOneGoesDownhill) {
  for (const auto& kind : kOptimizerKinds) {
    const double w = after(kind.value, 20);
    EXPECT_LT(std::fabs(w), 1.0) << kind.name;
    EXPECT_TRUE(std::isfinite(w)) << kind.name;
  }
}

TEST(Optimizer, ClipsByTheLengthOfAllGradients) {
  Quadratic q;  // |g|^2 = 1 + 4 + 0.25 + 2 = 7.25
  OptimizerConfig config;
  config.optimizer = OptimizerKind::kSgd;
  config.momentum = 0;
  config.clip_norm = 1;
  Optimizer optimizer(config, Params(q));
  q.backward();
  const double norm = optimizer.gradient_norm();
  EXPECT_NEAR(norm, std::sqrt(7.25), 1e-6);
  optimizer.step(1, 1.0f, norm);
  EXPECT_NEAR(q.w.value()[0], 1 - 1 / norm, 1e-6);
}

TEST(Optimizer, WeightDecayLeavesVectorsAlone) {
  Quadratic q;
  OptimizerConfig config;
  config.weight_decay = 0.5f;
  Optimizer optimizer(config, Params(q));
  q.backward();
  optimizer.step(1, 0.1f, 0);
  EXPECT_NEAR(q.w.value()[0], 1 - 0.1 - 0.05, 1e-6);
  EXPECT_NEAR(q.bias.value()[0], 1 - 0.1, 1e-6);
}

TEST(Optimizer, NamesItsStateByTheParameter) {
  Quadratic q;
  const Optimizer optimizer({}, Params(q));
  ASSERT_EQ(optimizer.state().size(), 4u);
  EXPECT_EQ(optimizer.state()[0].name, "w/0");
  EXPECT_EQ(optimizer.state()[3].name, "bias/1");
}

TEST(Optimizer, RefusesNumbersThatMakeNoSense) {
  Quadratic q;
  OptimizerConfig config;
  config.beta1 = 1.0f;
  EXPECT_THROW(Optimizer(config, Params(q)), Error);
}

}  // namespace
}  // namespace fovea
