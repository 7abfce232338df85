#include "fovea/autograd/deferred_weight.h"

#include <gtest/gtest.h>

#include "fovea/autograd/elementwise.h"
#include "fovea/autograd/gather.h"
#include "fovea/autograd/linear.h"
#include "fovea/autograd/reduce.h"
#include "fovea/base/check.h"
#include "support/compare.h"
#include "support/random.h"

namespace fovea {
namespace {

using testing::close;
using testing::random_tensor;
using testing::same_bits;

constexpr int kRows = 4, kWidth = 5, kSteps = 6;

// A chain in which every step multiplies by the same weight.
template <class Step>
Var chain(const Var& x, const Step& step) {
  Var y = x;
  std::vector<Var> all;
  for (int t = 0; t < kSteps; ++t) all.push_back(y = step(y));
  return concat_rows(all);
}

struct Chain {
  Var x = Var::parameter(random_tensor({kRows, kWidth}, 1));
  Var weight = Var::parameter(random_tensor({kWidth, kWidth}, 2, 0.4f));
  Var bias = Var::parameter(random_tensor({kWidth}, 3));
  Tensor seed = random_tensor({kRows * kSteps, kWidth}, 4);

  std::vector<Tensor> gradients() const {
    std::vector<Tensor> all;
    for (const Var& v : {x, weight, bias}) {
      all.push_back(v.grad().clone());
      v.clear_grad();
    }
    return all;
  }
};

TEST(LoopWeight, GivesTheGradientsOfAPlainWeight) {
  const Chain c;
  for (Activation activation :
       {Activation::kNone, Activation::kTanh, Activation::kGelu}) {
    const Var plain = chain(c.x, [&](const Var& x) {
      return linear(x, c.weight, c.bias, activation);
    });
    plain.backward(c.seed);
    const std::vector<Tensor> expected = c.gradients();
    const auto loop = loop_weight(c.weight);
    const Var looped = chain(
        c.x, [&](const Var& x) { return linear(x, loop, c.bias, activation); });
    EXPECT_TRUE(close(std::span<const float>(looped.value().span()),
                      std::span<const float>(plain.value().span()), 1e-6));
    looped.backward(c.seed);
    const std::vector<Tensor> got = c.gradients();
    for (size_t i = 0; i < got.size(); ++i) {
      EXPECT_TRUE(close(std::span<const float>(got[i].span()),
                        std::span<const float>(expected[i].span()), 1e-5));
    }
  }
}

TEST(LoopWeight, AddsToAGradientThatIsThere) {
  const Chain c;
  for (int i = 0; i < 2; ++i) {
    const auto loop = loop_weight(c.weight);
    chain(c.x, [&](const Var& x) {
      return linear(x, loop, {}, Activation::kTanh);
    }).backward(c.seed);
  }
  const Tensor twice = c.weight.grad().clone();
  c.weight.clear_grad();
  const auto loop = loop_weight(c.weight);
  chain(c.x, [&](const Var& x) {
    return linear(x, loop, {}, Activation::kTanh);
  }).backward(c.seed);
  for (int64_t i = 0; i < twice.size(); ++i) {
    EXPECT_NEAR(twice[i], 2 * c.weight.grad()[i], 1e-4);
  }
}

TEST(LoopWeight, OfOneUseNeedsNoCopy) {
  const Chain c;
  sum(linear(c.x, loop_weight(c.weight))).backward();
  const Tensor got = c.weight.grad().clone();
  c.weight.clear_grad();
  sum(linear(c.x, c.weight)).backward();
  EXPECT_TRUE(close(std::span<const float>(got.span()),
                    std::span<const float>(c.weight.grad().span()), 1e-6));
}

TEST(LoopWeight, WhoseResultNobodyUsesAddsNothing) {
  const Chain c;
  sum(linear(c.x, c.weight)).backward();
  const Tensor expected = c.weight.grad().clone();
  c.weight.clear_grad();
  const auto loop = loop_weight(c.weight);
  const Var unused = linear(c.x, loop);
  sum(linear(c.x, c.weight)).backward();
  EXPECT_TRUE(same_bits(c.weight.grad().span(), expected.span()));
}

TEST(LoopWeight, WithoutAGraphGivesThePackedProduct) {
  const NoGrad inference;
  const Chain c;
  const kernels::WeightMatrix packed = kernels::PackedMatrix::from_out_in(
      {c.weight.value().data(), kWidth, kWidth});
  EXPECT_TRUE(
      same_bits(linear(c.x, loop_weight(c.weight), c.bias).value().span(),
                linear(c.x, packed, c.bias).value().span()));
}

TEST(LoopWeight, MadeWithoutAGraphServesNone) {
  const Chain c;
  const auto loop = [&] {
    const NoGrad inference;
    return loop_weight(c.weight);
  }();
  EXPECT_THROW(linear(c.x, loop), Error);
}

}  // namespace
}  // namespace fovea
