#include "fovea/autograd/var.h"

#include "fovea/base/check.h"
#include "fovea/kernels/elementwise.h"
#include "support/compare.h"
#include "support/effort.h"

namespace fovea {
namespace {

Var square(const Var& x) {
  const Tensor a = x.value();
  Tensor y(a.shape());
  kernels::mul(a.span(), a.span(), y.span());
  return record(y, {x}, [a](const Tensor& dy, Grads dx) {
    const Tensor sum = dx[0].sum();
    kernels::mul_add(a.span(), dy.span(), sum.span());
    kernels::mul_add(a.span(), dy.span(), sum.span());
  });
}

Var pass_on(const Var& x) {
  return record(x.value(), {x},
                [](const Tensor& dy, Grads dx) { dx[0].add(dy); });
}

Var plus(const Var& x, const Var& y) {
  Tensor z = x.value().clone();
  kernels::add(y.value().span(), z.span());
  return record(z, {x, y}, [](const Tensor& dy, Grads dx) {
    if (dx[0]) dx[0].add(dy);
    if (dx[1]) dx[1].add(dy);
  });
}

TEST(Var, AddsUpTheGradientsOfEveryUse) {
  const Var x = Var::parameter(Tensor::of({2}, {3, -1}));
  plus(square(x), plus(x, x)).backward(Tensor::full({2}, 1));
  EXPECT_EQ(x.grad()[0], 8);
  EXPECT_EQ(x.grad()[1], 0);
}

TEST(Var, KeepsAddingUntilTheGradientIsCleared) {
  const Var x = Var::parameter(Tensor::of({1}, {3}));
  square(x).backward();
  square(x).backward();
  EXPECT_EQ(x.grad().item(), 12);
  x.clear_grad();
  EXPECT_FALSE(x.grad());
  square(x).backward();
  EXPECT_EQ(x.grad().item(), 6);
}

TEST(Var, NeverWritesIntoABorrowedGradient) {
  const Var x = Var::parameter(Tensor::of({1}, {3}));
  const Var y = pass_on(x);
  const Var z = plus(y, y);  // both inputs are one node
  plus(z, square(y)).backward();
  EXPECT_EQ(x.grad().item(), 8);
}

TEST(Var, TakesOverABorrowedGradientThatNobodyElseHolds) {
  const Var x = Var::parameter(Tensor::of({1}, {3}));
  const Var y = pass_on(x);
  const float* lent = nullptr;
  const float* target = nullptr;
  const Var older = record(y.value(), {y}, [&](const Tensor& dy, Grads dx) {
    const auto [sum, accumulate] = dx[0].target();
    EXPECT_TRUE(accumulate);
    target = sum.data();
    kernels::add(dy.span(), sum.span());
  });
  const Var newer = record(y.value(), {y}, [&](const Tensor& dy, Grads dx) {
    lent = dy.data();
    dx[0].add(dy);
  });
  plus(older, square(newer)).backward();
  EXPECT_EQ(target, lent);
  EXPECT_EQ(x.grad().item(), 7);
}

TEST(Var, LeavesASeedUntouched) {
  const Var x = Var::parameter(Tensor::of({1}, {3}));
  const Tensor seed = Tensor::full({1}, 1);
  plus(pass_on(x), pass_on(x)).backward(seed);
  EXPECT_EQ(seed.item(), 1);
  EXPECT_EQ(x.grad().item(), 2);
}

TEST(Var, RecordsNothingWithoutNeed) {
  EXPECT_FALSE(square(Tensor::of({1}, {3})).needs_grad());
  const Var x = Var::parameter(Tensor::of({1}, {3}));
  NoGrad scope;
  EXPECT_FALSE(square(x).needs_grad());
}

TEST(Var, RefusesASecondBackwardThroughAFreedGraph) {
  const Var x = Var::parameter(Tensor::of({1}, {3}));
  const Var y = square(x);
  const Var z = square(y);
  z.backward();
  EXPECT_THROW(z.backward(), Error);
  EXPECT_THROW(square(y).backward(), Error);
}

TEST(Var, NamesWhatIsWrongWithBackward) {
  EXPECT_THROW(Var(Tensor::zeros({1})).backward(), Error);
  EXPECT_THROW(Var::parameter(Tensor::zeros({2})).backward(), Error);
  EXPECT_THROW(Var().value(), Error);
}

TEST(Var, SurvivesAMillionChainedNodes) {
  const int nodes = testing::effort(1'000'000, 200'000);
  const Var x = Var::parameter(Tensor::of({1}, {3}));
  Var y = x;
  for (int i = 0; i < nodes; ++i) y = pass_on(y);
  y.backward();
  EXPECT_EQ(x.grad().item(), 1);
  for (int i = 0; i < nodes; ++i) y = i ? pass_on(y) : x;
  y = Var();  // freed without a backward
}

TEST(Var, ALeafBecomesAConstantForAllItsCopies) {
  const Var x = Var::parameter(Tensor::full({2}, 1));
  const Var copy = x, other = Var::parameter(Tensor::full({2}, 1));
  EXPECT_TRUE(copy.shares(x));
  EXPECT_FALSE(other.shares(x));
  x.fix(Tensor::full({2}, 5));
  EXPECT_EQ(copy.value()[1], 5);
  EXPECT_FALSE(copy.needs_grad());
  EXPECT_THROW(x.fix(Tensor::full({3}, 5)), Error);
  EXPECT_THROW(square(other).fix(Tensor::full({2}, 5)), Error);
}

}  // namespace
}  // namespace fovea
