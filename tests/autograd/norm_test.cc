#include "fovea/autograd/norm.h"

#include <cmath>

#include "fovea/autograd/elementwise.h"
#include "fovea/base/check.h"
#include "support/check_op.h"
#include "support/compare.h"
#include "support/random.h"
#include "support/twin_norm.h"

namespace fovea {
namespace {

using namespace testing;  // NOLINT: the support library
using Inputs = std::vector<Doubles>;

constexpr int kCols = 9;

std::vector<Tensor> inputs() {
  return {random_tensor({4, kCols}, 1), random_tensor({kCols}, 2),
          random_tensor({kCols}, 3)};
}

TEST(NormOps, MatchTheTwins) {
  check_op([](const auto& v) { return layer_norm(v[0], v[1], v[2]); },
           [](const Inputs& in) {
             return TwinNorm{.cols = kCols}(in[0], in[1], in[2]);
           },
           inputs());
  check_op([](const auto& v) { return rms_norm(v[0], v[1]); },
           [](const Inputs& in) {
             return TwinNorm{.cols = kCols, .rms = true}(in[0], in[1],
                                                         Doubles(kCols, 0.0));
           },
           {inputs()[0], inputs()[1]});
}

TEST(NormOps, DoWithoutGainAndBias) {
  check_op([](const auto& v) { return norm(v[0], {}); },
           [](const Inputs& in) {
             return TwinNorm{.cols = kCols}(in[0], Doubles(kCols, 1.0),
                                            Doubles(kCols, 0.0));
           },
           {inputs()[0]});
}

TEST(NormOps, TrainTheGainOfAConstantInput) {
  const auto in = inputs();
  const Var gain = Var::parameter(in[1]);
  layer_norm(in[0], gain, Var()).backward(Tensor::full({4, kCols}, 1.0f));
  EXPECT_TRUE(gain.grad());
}

// x, f, gain, bias to the sum and its norm.
Doubles twin_sum(const Inputs& in, float rate, RandomKey key) {
  Doubles sum = twin_dropout(in[1], rate, key);
  for (size_t i = 0; i < sum.size(); ++i) sum[i] += in[0][i];
  return sum;
}

void check_residual(float rate) {
  const RandomKey key = RandomKey(5).with("residual");
  const auto in = inputs();
  const std::vector<Tensor> all{in[0], random_tensor({4, kCols}, 4), in[1],
                                in[2]};
  const auto residual = [&](const std::vector<Var>& v) {
    return residual_dropout_norm(v[0], v[1], rate, key,
                                 {.gain = v[2], .bias = v[3]});
  };
  const auto normed = [&](const Inputs& x) {
    return TwinNorm{.cols = kCols}(twin_sum(x, rate, key), x[2], x[3]);
  };
  check_op([&](const auto& v) { return residual(v).normed; }, normed, all);
  // A pre-norm network: the sum goes on, and its norm through a branch.
  check_op(
      [&](const auto& v) {
        const Residual r = residual(v);
        return r.sum + tanh(r.normed);
      },
      [&](const Inputs& x) {
        Doubles y = twin_sum(x, rate, key);
        const Doubles n = normed(x);
        for (size_t i = 0; i < y.size(); ++i) y[i] += std::tanh(n[i]);
        return y;
      },
      all);
  check_op(
      [&](const auto& v) {
        return residual({v[0], v[1], in[1], in[2]}).sum;
      },
      [&](const Inputs& x) { return twin_sum(x, rate, key); },
      {all[0], all[1]});
}

TEST(NormOps, FuseResidualDropoutAndNorm) {
  check_residual(0.0f);
  check_residual(0.4f);
}

TEST(NormOps, EqualTheSeparateOps) {
  const RandomKey key = RandomKey(5).with("residual");
  const Tensor x = random_tensor({40, 33}, 1), f = random_tensor({40, 33}, 2);
  const Tensor gain = random_tensor({33}, 3), bias = random_tensor({33}, 4);
  const Residual fused =
      residual_dropout_norm(x, f, 0.1f, key, {.gain = gain, .bias = bias});
  const Var sum = Var(x) + dropout(f, 0.1f, key);
  EXPECT_TRUE(same_bits(fused.sum.value().span(), sum.value().span()));
  EXPECT_TRUE(same_bits(fused.normed.value().span(),
                        layer_norm(sum, gain, bias).value().span()));
}

TEST(NormOps, LeaveFrozenInputsAlone) {
  const auto in = inputs();
  const Var f = Var::parameter(random_tensor({4, kCols}, 4));
  const Residual r =
      residual_dropout_norm(in[0], f, 0.5f, RandomKey(1), {.gain = in[1]});
  r.normed.backward(Tensor::full({4, kCols}, 1.0f));
  EXPECT_TRUE(f.grad());
  const Var gain = Var::parameter(in[1]);
  residual_dropout_norm(in[0], in[0], 0.5f, RandomKey(1), {.gain = gain})
      .normed.backward(Tensor::full({4, kCols}, 1.0f));
  EXPECT_TRUE(gain.grad());
}

TEST(NormOps, RefuseShapesThatDoNotFit) {
  const Var x = Tensor::zeros({4, 3});
  EXPECT_THROW(layer_norm(x, Tensor::zeros({4}), Var()), Error);
  EXPECT_THROW(
      residual_dropout_norm(x, Tensor::zeros({3, 4}), 0, RandomKey(), {}),
      Error);
  EXPECT_THROW(residual_dropout_norm(x, x, 1.5f, RandomKey(), {}), Error);
}

}  // namespace
}  // namespace fovea
