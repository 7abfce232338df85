#include "fovea/autograd/elementwise.h"

#include <cmath>

#include "fovea/base/check.h"
#include "support/check_op.h"
#include "support/compare.h"
#include "support/random.h"
#include "support/twin_elementwise.h"
#include "support/twin_norm.h"

namespace fovea {
namespace {

using namespace testing;  // NOLINT: the support library
using Inputs = std::vector<Doubles>;
using kernels::Function;

Tensor random(const Shape& shape, uint64_t seed = 1) {
  return random_tensor(shape, seed);
}

// Element by element; y repeats if it is shorter, as a row does.
Twin twin_of(const std::function<double(double, double)>& fn) {
  return [fn](const Inputs& in) {
    Doubles z(in[0].size());
    for (size_t i = 0; i < z.size(); ++i) {
      z[i] = fn(in[0][i], in[1][i % in[1].size()]);
    }
    return z;
  };
}

TEST(ElementwiseOps, AddSubtractAndMultiplyEqualShapes) {
  const std::vector<Tensor> inputs{random({3, 5}, 1), random({3, 5}, 2)};
  check_op([](const auto& v) { return v[0] + v[1]; },
           twin_of([](double a, double b) { return a + b; }), inputs);
  check_op([](const auto& v) { return v[0] - v[1]; },
           twin_of([](double a, double b) { return a - b; }), inputs);
  check_op([](const auto& v) { return v[0] * v[1]; },
           twin_of([](double a, double b) { return a * b; }), inputs);
}

TEST(ElementwiseOps, BroadcastARowOverRows) {
  const std::vector<Tensor> inputs{random({4, 9}, 1), random({9}, 2)};
  check_op([](const auto& v) { return v[0] + v[1]; },
           twin_of([](double a, double b) { return a + b; }), inputs);
  check_op([](const auto& v) { return v[0] * v[1]; },
           twin_of([](double a, double b) { return a * b; }), inputs);
}

TEST(ElementwiseOps, ScaleAndShift) {
  const auto twin = [](double a, double b) {
    return [a, b](const Inputs& in) {
      Doubles y = in[0];
      for (double& v : y) v = a * v + b;
      return y;
    };
  };
  check_op([](const auto& v) { return 3.0f * v[0]; }, twin(3, 0),
           {random({7})});
  check_op([](const auto& v) { return -v[0]; }, twin(-1, 0), {random({7})});
  check_op([](const auto& v) { return shift(v[0], 2.0f); }, twin(1, 2),
           {random({7})});
}

TEST(ElementwiseOps, ScaleGradientChangesTheGradientOnly) {
  const Var x = Var::parameter(random({7}));
  const Var y = scale_gradient(x, 0.25f);
  EXPECT_TRUE(same_bits(y.value().span(), x.value().span()));
  const Tensor dy = random({7}, 2);
  y.backward(dy);
  for (int i = 0; i < 7; ++i) EXPECT_EQ(x.grad()[i], 0.25f * dy[i]);
}

TEST(ElementwiseOps, ScaleRows) {
  const Twin twin = [](const Inputs& in) {
    Doubles y = in[0];
    for (size_t i = 0; i < y.size(); ++i) y[i] *= in[1][i / 5];
    return y;
  };
  const Op op = [](const auto& v) { return scale_rows(v[0], v[1]); };
  check_op(op, twin, {random({3, 5}, 1), random({3}, 2)});
  check_op(op, twin, {random({3, 5}, 1), random({3, 1}, 2)});
}

TEST(ElementwiseOps, MultiplyAValueByItself) {
  check_op([](const auto& v) { return v[0] * v[0]; },
           [](const Inputs& in) {
             Doubles y = in[0];
             for (double& v : y) v *= v;
             return y;
           },
           {random({11})});
}

TEST(ElementwiseOps, ApplyEveryFunction) {
  const std::pair<Function, Var (*)(const Var&)> functions[] = {
      {Function::kRelu, relu}, {Function::kGelu, gelu},
      {Function::kTanh, tanh}, {Function::kSigmoid, sigmoid},
      {Function::kSilu, silu}, {Function::kSoftplus, softplus},
      {Function::kExp, exp},   {Function::kLog, log}};
  for (const auto& [f, op] : functions) {
    SCOPED_TRACE("function " + std::to_string(static_cast<int>(f)));
    Tensor x = random({4, 5});
    for (float& v : x.span()) {  // away from the kink; positive for log
      v = f == Function::kLog ? std::abs(v) + 0.1f : v + (v < 0 ? -.1f : .1f);
    }
    check_op([op = op](const auto& v) { return op(v[0]); },
             [f = f](const Inputs& in) { return twin_apply(f, in[0]); }, {x});
  }
}

TEST(ElementwiseOps, GateAndTakeTheLargerOfNeighbours) {
  check_op([](const auto& v) { return glu(v[0]); },
           [](const Inputs& in) { return twin_glu(in[0], 3); },
           {random({4, 6})});
  check_op([](const auto& v) { return maxout(v[0]); },
           [](const Inputs& in) { return twin_maxout(in[0]); },
           {random({4, 6})});
}

TEST(ElementwiseOps, DropTheSameElementsForwardAndBackward) {
  const RandomKey key = RandomKey(3).with("drop");
  check_op([&](const auto& v) { return dropout(v[0], 0.4f, key); },
           [&](const Inputs& in) { return twin_dropout(in[0], 0.4f, key); },
           {random({13, 5})});
  const Var x = random({3});
  EXPECT_EQ(dropout(x, 0.0f, key).value().data(), x.value().data());
}

TEST(ElementwiseOps, WorkOnEmptyValues) {
  const Var x = Var::parameter(Tensor({0, 4}));
  const Var row = Var::parameter(Tensor::full({4}, 1.0f));
  const Var y = relu(x + row) * x;
  y.backward(Tensor({0, 4}));
  EXPECT_EQ(row.grad()[3], 0.0f);
}

TEST(ElementwiseOps, RefuseShapesThatDoNotFit) {
  EXPECT_THROW(add(random({2, 3}), random({2})), Error);
  EXPECT_THROW(sub(random({2, 3}), random({3})), Error);
  EXPECT_THROW(mul(random({2, 3}), random({3, 2})), Error);
  EXPECT_THROW(scale_rows(random({2, 3}), random({3})), Error);
  EXPECT_THROW(glu(random({2, 3})), Error);
  EXPECT_THROW(maxout(random({3})), Error);
  EXPECT_THROW(dropout(random({3}), 1.0f, RandomKey()), Error);
}

}  // namespace
}  // namespace fovea
