#include "fovea/autograd/linear.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "fovea/base/check.h"
#include "support/compare.h"
#include "support/gradients.h"
#include "support/random.h"
#include "support/twin_gemm.h"

namespace fovea {
namespace {

using kernels::PackedMatrix;
using kernels::QuantizedMatrix;
using kernels::WeightMatrix;
using testing::close;
using testing::Doubles;
using testing::kGradientTolerance;
using testing::on_every_target;
using testing::random_doubles;
using testing::same_bits;
using testing::to_float;
using testing::twin_gradient_is_right;
using testing::TwinGemm;
using testing::TwinLinear;
using testing::with_threads;

constexpr Activation kActivations[] = {Activation::kNone, Activation::kRelu,
                                       Activation::kGelu, Activation::kTanh,
                                       Activation::kSigmoid};

Tensor tensor(const Shape& shape, const Doubles& x) {
  return Tensor::from(shape, to_float(x));
}

std::vector<Doubles> linear_inputs(const TwinLinear& l) {
  std::vector<Doubles> inputs = {random_doubles(l.rows * l.in, 1),
                                 random_doubles(l.out * l.in, 2),
                                 random_doubles(l.out, 3)};
  for (double& w : inputs[1]) w /= std::sqrt(l.in);
  return inputs;
}

TEST(Linear, HasATwinWithARightGradient) {
  for (const Activation activation : kActivations) {
    const TwinLinear l{.rows = 3, .in = 4, .out = 5, .activation = activation};
    EXPECT_TRUE(twin_gradient_is_right(
        [&](const auto& in) { return twin_linear(l, in); },
        [&](const auto& in, const auto& dy) {
          return twin_linear_gradient(l, in, dy);
        },
        linear_inputs(l), random_doubles(15, 4)));
  }
}

void expect_like_twin(const TwinLinear& l) {
  const std::vector<Doubles> inputs = linear_inputs(l);
  const Doubles dy = random_doubles(l.rows * l.out, 4);
  const Var x = Var::parameter(tensor({l.rows, l.in}, inputs[0]));
  const Var w = Var::parameter(tensor({l.out, l.in}, inputs[1]));
  const Var b = Var::parameter(tensor({l.out}, inputs[2]));
  const Var y = linear(x, w, b, l.activation);
  EXPECT_TRUE(close(y.value(), twin_linear(l, inputs), 1e-5));
  y.backward(tensor({l.rows, l.out}, dy));
  const std::vector<Doubles> expected = twin_linear_gradient(l, inputs, dy);
  EXPECT_TRUE(close(x.grad(), expected[0], kGradientTolerance));
  EXPECT_TRUE(close(w.grad(), expected[1], kGradientTolerance));
  EXPECT_TRUE(close(b.grad(), expected[2], kGradientTolerance));
}

TEST(Linear, EqualsTheTwinForwardAndBackward) {
  constexpr int kSizes[][3] = {{1, 1, 1}, {7, 9, 8}, {33, 17, 40}, {64, 8, 1}};
  on_every_target([&] {
    with_threads({1, 2}, [&](int) {
      for (const auto& [rows, in, out] : kSizes) {
        for (const Activation activation : kActivations) {
          SCOPED_TRACE(static_cast<int>(activation));
          expect_like_twin({rows, in, out, activation});
        }
      }
    });
  });
}

TEST(Linear, WorksWithoutABias) {
  const TwinLinear l{
      .rows = 6, .in = 5, .out = 7, .activation = Activation::kTanh};
  std::vector<Doubles> inputs = linear_inputs(l);
  inputs.pop_back();
  const Doubles dy = random_doubles(l.rows * l.out, 4);
  const Var x = Var::parameter(tensor({l.rows, l.in}, inputs[0]));
  const Var w = Var::parameter(tensor({l.out, l.in}, inputs[1]));
  const Var y = linear(x, w, {}, l.activation);
  EXPECT_TRUE(close(y.value(), twin_linear(l, inputs), 1e-5));
  y.backward(tensor({l.rows, l.out}, dy));
  const std::vector<Doubles> expected = twin_linear_gradient(l, inputs, dy);
  EXPECT_TRUE(close(x.grad(), expected[0], kGradientTolerance));
  EXPECT_TRUE(close(w.grad(), expected[1], kGradientTolerance));
}

TEST(Linear, AddsUpTheGradientsOfAWeightUsedTwice) {
  const TwinLinear l{.rows = 6, .in = 5, .out = 7};
  const std::vector<Doubles> inputs = linear_inputs(l);
  const Doubles dy = random_doubles(l.rows * l.out, 4);
  const Var x = Var::parameter(tensor({l.rows, l.in}, inputs[0]));
  const Var w = Var::parameter(tensor({l.out, l.in}, inputs[1]));
  const Var b = Var::parameter(tensor({l.out}, inputs[2]));
  for (int i = 0; i < 2; ++i) {
    linear(x, w, b).backward(tensor({l.rows, l.out}, dy));
  }
  std::vector<Doubles> expected = twin_linear_gradient(l, inputs, dy);
  for (Doubles& g : expected) {
    for (double& v : g) v *= 2;
  }
  EXPECT_TRUE(close(x.grad(), expected[0], kGradientTolerance));
  EXPECT_TRUE(close(w.grad(), expected[1], kGradientTolerance));
  EXPECT_TRUE(close(b.grad(), expected[2], kGradientTolerance));
}

TEST(Linear, ComputesNoGradientThatNobodyNeeds) {
  const Var x(testing::random_tensor({4, 3}, 1));
  const Var w = Var::parameter(testing::random_tensor({2, 3}, 2));
  linear(x, w).backward(Tensor::full({4, 2}, 1.0f));
  EXPECT_FALSE(x.grad());
  EXPECT_TRUE(w.grad());
}

TEST(Linear, GivesTheSameBitsWithAndWithoutAHistory) {
  const Tensor x = testing::random_tensor({9, 20}, 1);
  const Var w = Var::parameter(testing::random_tensor({21, 20}, 2));
  const Var b = Var::parameter(testing::random_tensor({21}, 3));
  for (const Activation activation : kActivations) {
    const Var trained = linear(x, w, b, activation);
    NoGrad inference;
    EXPECT_TRUE(same_bits(linear(x, w, b, activation).value().span(),
                          trained.value().span()));
  }
}

TEST(Linear, TakesAnEmptyBatch) {
  const Var x = Var::parameter(Tensor(Shape{0, 3}));
  const Var w = Var::parameter(testing::random_tensor({2, 3}, 2));
  const Var b = Var::parameter(testing::random_tensor({2}, 2));
  const Var y = linear(x, w, b, Activation::kGelu);
  EXPECT_EQ(y.shape(), Shape({0, 2}));
  y.backward(Tensor(Shape{0, 2}));
  EXPECT_TRUE(close(w.grad(), Doubles(6, 0.0), 0.0));
  EXPECT_TRUE(close(b.grad(), Doubles(2, 0.0), 0.0));
}

TEST(Linear, GivesTheSameWithAPackedWeight) {
  NoGrad inference;
  const TwinLinear l{
      .rows = 10, .in = 30, .out = 21, .activation = Activation::kGelu};
  const std::vector<Doubles> inputs = linear_inputs(l);
  const Tensor w = tensor({l.out, l.in}, inputs[1]);
  const Var x = tensor({l.rows, l.in}, inputs[0]);
  const Var b = tensor({l.out}, inputs[2]);
  const Doubles expected = twin_linear(l, inputs);
  const WeightMatrix packed =
      PackedMatrix::from_out_in({w.data(), l.out, l.in});
  EXPECT_TRUE(
      close(linear(x, packed, b, l.activation).value(), expected, 1e-5));
  const WeightMatrix quantized =
      QuantizedMatrix::from_out_in({w.data(), l.out, l.in});
  EXPECT_TRUE(
      close(linear(x, quantized, b, l.activation).value(), expected, 0.05));
}

TEST(Linear, RefusesAHistoryWithAPackedWeight) {
  const Tensor w = testing::random_tensor({2, 3}, 1);
  const WeightMatrix packed = PackedMatrix::from_out_in({w.data(), 2, 3});
  const Var x = Var::parameter(testing::random_tensor({4, 3}, 1));
  EXPECT_THROW(linear(x, packed), Error);
}

TEST(Linear, NamesShapesThatDoNotFit) {
  const Var x(Tensor(Shape{4, 3})), w(Tensor(Shape{2, 5}));
  try {
    linear(x, w);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("[4, 3]"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("5 inputs"), std::string::npos);
  }
  EXPECT_THROW(linear(x, Var(Tensor(Shape{2, 3})), Var(Tensor(Shape{3}))),
               Error);
  EXPECT_THROW(linear(Var(Tensor(Shape{3})), Var(Tensor(Shape{2, 3}))), Error);
  EXPECT_THROW(matmul(x, w), Error);
}

TEST(Matmul, EqualsTheTwinForEveryTranspose) {
  constexpr int rows = 7, depth = 9, cols = 5;
  for (const bool ta : {false, true}) {
    for (const bool tb : {false, true}) {
      const TwinGemm g{.rows = rows,
                       .cols = cols,
                       .depth = depth,
                       .transpose_a = ta,
                       .transpose_b = tb};
      const Doubles a = random_doubles(rows * depth, 1);
      const Doubles b = random_doubles(depth * cols, 2);
      const Doubles dc = random_doubles(rows * cols, 3);
      const Var va = Var::parameter(
          tensor(ta ? Shape{depth, rows} : Shape{rows, depth}, a));
      const Var vb = Var::parameter(
          tensor(tb ? Shape{cols, depth} : Shape{depth, cols}, b));
      const Var c = matmul(va, vb, {.a = ta, .b = tb});
      EXPECT_TRUE(close(c.value(), twin_gemm(g, a, b), 1e-5));
      c.backward(tensor({rows, cols}, dc));
      Doubles da(a.size(), 0.0), db(b.size(), 0.0);
      for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < cols; ++j) {
          for (int k = 0; k < depth; ++k) {
            const int ia = ta ? k * rows + i : i * depth + k;
            const int ib = tb ? j * depth + k : k * cols + j;
            da[ia] += dc[i * cols + j] * b[ib];
            db[ib] += dc[i * cols + j] * a[ia];
          }
        }
      }
      EXPECT_TRUE(close(va.grad(), da, kGradientTolerance));
      EXPECT_TRUE(close(vb.grad(), db, kGradientTolerance));
    }
  }
}

TEST(Matmul, AddsBothGradientsOfAMatrixTimesItself) {
  const Var x = Var::parameter(Tensor::of({1, 2}, {3, 4}));
  matmul(x, x, {.b = true}).backward();  // |x|^2
  EXPECT_TRUE(close(x.grad(), Doubles{6, 8}, 1e-6));
}

}  // namespace
}  // namespace fovea
