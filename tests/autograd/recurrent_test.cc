#include "fovea/autograd/recurrent.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "fovea/base/check.h"
#include "fovea/base/parallel.h"
#include "support/compare.h"
#include "support/recurrent_cases.h"
#include "support/recurrent_op.h"

namespace fovea {
namespace {

using testing::Doubles;
using testing::lengths_of;
using testing::random_tensor;
using testing::RandomCell;
using testing::run;
using testing::TwinRecurrent;

// The op's inputs with the numbers of a twin's.
struct Problem {
  RecurrentInput in;
  RecurrentWeights w;
  std::vector<Var> all;  // in the twin's order; empty where there is none
};

Problem problem_of(const TwinRecurrent& t, const std::vector<Doubles>& values) {
  const int64_t out = t.gates() * t.width, b = t.sequences(), d = t.width;
  const std::vector<Shape> shapes = {
      {t.tokens(), t.in}, {out, t.in}, {out, d}, {out}, {d}, {b, d}, {b, d}};
  Problem p;
  for (size_t i = 0; i < shapes.size(); ++i) {
    const bool given = t.sizes()[i] > 0 || i == 0 || i == 5;
    p.all.push_back(given ? Var::parameter(Tensor::from(
                                shapes[i], testing::to_float(values[i])))
                          : Var());
  }
  p.in = {p.all[0], Segments::from_lengths(t.lengths), t.reverse, p.all[5],
          p.all[6]};
  p.w = {p.all[1], p.all[2], p.all[3], p.all[4]};
  return p;
}

Doubles joined(const RecurrentStates& out) {
  Doubles all;
  for (const Var& part : {out.states, out.last, out.last_cell}) {
    if (!part) continue;
    const Doubles values = testing::to_double(part.value());
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

// One number whose gradient is dy for all results.
Var weighted_sum(const RecurrentStates& out, const std::vector<float>& dy) {
  std::vector<Var> parts;
  for (const Var& part : {out.states, out.last, out.last_cell}) {
    if (part) parts.push_back(part);
  }
  return record(Tensor::zeros({1}), parts, [dy](const Tensor&, Grads dx) {
    size_t at = 0;
    for (const Grad& grad : dx) {
      const Tensor sum = grad.sum();
      for (float& v : sum.span()) v += dy[at++];
    }
  });
}

TEST(Recurrent, TwinGradientIsRight) {
  for (const TwinRecurrent& t : testing::all_cells(3, 2, {2, 0, 3, 1})) {
    const auto inputs = testing::random_inputs(t, 5);
    const Doubles dy = testing::random_doubles(t.forward(inputs).size(), 6);
    EXPECT_TRUE(testing::twin_gradient_is_right(
        [&](const auto& x) { return t.forward(x); },
        [&](const auto& x, const Doubles& d) { return t.gradient(x, d); },
        inputs, dy))
        << testing::name_of(t);
  }
}

TEST(Recurrent, MatchesTheTwinForwardAndBackward) {
  for (int width : {1, 9, 16}) {
    for (const TwinRecurrent& t :
         testing::all_cells(5, width, lengths_of(21))) {
      SCOPED_TRACE(testing::name_of(t));
      const auto inputs = testing::random_inputs(t, 5);
      const Problem p = problem_of(t, inputs);
      const RecurrentStates out = run(t, p.in, p.w);
      EXPECT_TRUE(testing::close(joined(out), t.forward(inputs), 3e-6));
      const auto dy = testing::random_floats(joined(out).size(), 6);
      weighted_sum(out, dy).backward();
      const auto truth = t.gradient(inputs, testing::to_double(dy));
      for (size_t i = 0; i < truth.size(); ++i) {
        if (!p.all[i]) continue;
        EXPECT_TRUE(testing::close(p.all[i].grad(), truth[i],
                                   testing::kGradientTolerance))
            << "input " << i;
      }
    }
  }
}

TEST(Recurrent, AddsItsGradientsToThoseOfOtherUses) {
  for (const TwinRecurrent& t : testing::all_cells(5, 9, {3, 0, 2})) {
    SCOPED_TRACE(testing::name_of(t));
    const auto inputs = testing::random_inputs(t, 5);
    const Problem once = problem_of(t, inputs), twice = problem_of(t, inputs);
    const RecurrentStates a = run(t, once.in, once.w);
    const auto dy = testing::random_floats(joined(a).size(), 6);
    weighted_sum(a, dy).backward();
    for (int i = 0; i < 2; ++i) {
      weighted_sum(run(t, twice.in, twice.w), dy).backward();
    }
    for (size_t i = 0; i < once.all.size(); ++i) {
      if (!once.all[i]) continue;
      Doubles doubled = testing::to_double(once.all[i].grad());
      for (double& v : doubled) v *= 2;
      EXPECT_TRUE(testing::close(twice.all[i].grad(), doubled, 1e-6));
    }
  }
}

TEST(Recurrent, NeedsNeitherBiasNorInitialState) {
  for (const TwinRecurrent& t : testing::all_cells(5, 9, {3, 0, 2, 6})) {
    SCOPED_TRACE(testing::name_of(t));
    auto inputs = testing::random_inputs(t, 5);
    for (int i : {3, 4, 5, 6}) inputs[i].assign(inputs[i].size(), 0);
    Problem p = problem_of(t, inputs);
    p.in.h0 = p.in.c0 = p.w.bias = p.w.inner_bias = Var();
    const RecurrentStates out = run(t, p.in, p.w);
    EXPECT_TRUE(testing::close(joined(out), t.forward(inputs), 3e-6));
    const auto dy = testing::random_floats(joined(out).size(), 6);
    weighted_sum(out, dy).backward();
    const auto truth = t.gradient(inputs, testing::to_double(dy));
    for (int i : {0, 1, 2}) {
      EXPECT_TRUE(testing::close(p.all[i].grad(), truth[i],
                                 testing::kGradientTolerance))
          << "input " << i;
    }
  }
}

TEST(Recurrent, ComputesNoMoreGradientsThanAreNeeded) {
  const TwinRecurrent t{TwinRecurrent::kLstm, 3, 4, {2, 3}};
  const RandomCell weights(t, 1);
  RecurrentInput in{random_tensor({5, 3}, 2),
                    Segments::from_lengths(t.lengths)};
  in.h0 = random_tensor({2, 4}, 3);
  weighted_sum(weights(in), testing::random_floats(5 * 4 + 2 * 8, 4))
      .backward();
  EXPECT_FALSE(in.x.grad());
  EXPECT_FALSE(in.h0.grad());
  EXPECT_TRUE(weights.w.input.grad());
}

// SPEC D2: x = 1, h = 0.5, c = 0.2; recurrent weights 0.5.
TEST(Recurrent, GivesTheNumbersOfOneLstmStep) {
  const Segments one = Segments::from_lengths(std::vector<int>{1});
  const RecurrentStates out =
      lstm({Tensor::of({1, 1}, {1}), one, false, Tensor::of({1, 1}, {0.5f}),
            Tensor::of({1, 1}, {0.2f})},
           {Tensor::of({4, 1}, {0.1f, 0.2f, 0.3f, 0.4f}),
            Tensor::full({4, 1}, 0.5f),
            {},
            {}});
  EXPECT_NEAR(out.last.value().item(), 0.27142760, 1e-7);
  EXPECT_NEAR(out.states.value().item(), 0.27142760, 1e-7);
  EXPECT_NEAR(out.last_cell.value().item(), 0.45747950, 1e-7);
}

TEST(Recurrent, GivesTheNumbersOfOneGruStep) {
  const Segments one = Segments::from_lengths(std::vector<int>{1});
  using kernels::GruReset, kernels::GruUpdate;
  for (GruReset reset : {GruReset::kBefore, GruReset::kAfter}) {
    for (GruUpdate update : {GruUpdate::kTakesNew, GruUpdate::kKeepsOld}) {
      const RecurrentStates out = gru(
          {Tensor::of({1, 1}, {1}), one, false, Tensor::of({1, 1}, {0.5f}), {}},
          {Tensor::of({3, 1}, {0.1f, 0.2f, 0.4f}),
           Tensor::full({3, 1}, 0.5f),
           {},
           {}},
          {reset, update});
      EXPECT_NEAR(out.last.value().item(),
                  update == GruUpdate::kTakesNew ? 0.50147301 : 0.50103801,
                  1e-7);
    }
  }
}

TEST(Recurrent, LstmWithOpenForgetAndClosedInputGateKeepsItsCell) {
  const int64_t width = 5;
  const std::vector<int> lengths = {20, 3};
  Tensor bias = Tensor::zeros({4 * width});
  for (int64_t k = 0; k < width; ++k) {
    bias[k] = -200;         // i = 0
    bias[width + k] = 200;  // f = 1
  }
  const Tensor c0 = random_tensor({2, width}, 3);
  const RecurrentStates out =
      lstm({random_tensor({23, 4}, 1), Segments::from_lengths(lengths), false,
            random_tensor({2, width}, 2), c0},
           {random_tensor({4 * width, 4}, 4),
            random_tensor({4 * width, width}, 5),
            bias,
            {}});
  EXPECT_TRUE(testing::same_bits(out.last_cell.value().span(), c0.span()));
}

TEST(Recurrent, EmptySequencesKeepTheirInitialState) {
  for (const TwinRecurrent& t : testing::all_cells(2, 3, {0, 2, 0})) {
    const RandomCell weights(t, 1);
    RecurrentInput in{random_tensor({2, 2}, 2),
                      Segments::from_lengths(t.lengths), t.reverse};
    in.h0 = Var::parameter(random_tensor({3, 3}, 3));
    if (t.cell == TwinRecurrent::kLstm) in.c0 = random_tensor({3, 3}, 4);
    const RecurrentStates out = weights(in);
    for (int b : {0, 2}) {
      EXPECT_TRUE(
          testing::same_bits(out.last.value().row_range(b, b + 1).span(),
                             in.h0.value().row_range(b, b + 1).span()));
    }
    out.last.backward(Tensor::full({3, 3}, 1));
    EXPECT_EQ(in.h0.grad()[0], 1);
  }
}

TEST(Recurrent, PassesTheInitialStateOnWhenThereAreNoTokens) {
  for (const TwinRecurrent& t : testing::all_cells(2, 3, {0, 0})) {
    const RandomCell weights(t, 1);
    RecurrentInput in{Var::parameter(Tensor({0, 2})),
                      Segments::from_lengths(t.lengths), t.reverse};
    in.h0 = Var::parameter(random_tensor({2, 3}, 3));
    const RecurrentStates out = weights(in);
    EXPECT_EQ(out.states.shape(), Shape({0, 3}));
    out.last.backward(Tensor::full({2, 3}, 2));
    EXPECT_EQ(in.h0.grad()[5], 2);
    EXPECT_EQ(weights.w.recurrent.grad()[0], 0);
    EXPECT_EQ(weights.w.input.grad()[0], 0);
    NoGrad inference;
    EXPECT_TRUE(testing::same_bits(weights(in).last.value().span(),
                                   in.h0.value().span()));
  }
}

TEST(Recurrent, GradientThroughElmanStepsVanishesOrExplodes) {
  const int steps = 30, width = 4;
  for (float radius : {0.7f, 1.3f}) {
    Tensor u = Tensor::zeros({width, width});
    for (int i = 0; i < width; ++i) u[i * width + (i + 1) % width] = radius;
    const Var h0 = Var::parameter(Tensor::full({1, width}, 1e-9f));
    const RecurrentStates out =
        elman({Tensor::zeros({steps, 1}),
               Segments::from_lengths(std::vector<int>{steps}),
               false,
               h0,
               {}},
              {Tensor::zeros({width, 1}), u, {}, {}});
    out.last.backward(Tensor::full({1, width}, 1));
    EXPECT_NEAR(h0.grad()[0] / std::pow(radius, steps), 1, 1e-4);
  }
}

TEST(Recurrent, NamesTheShapeThatDoesNotFit) {
  const TwinRecurrent t{TwinRecurrent::kLstm, 3, 4, {2, 3}};
  const RandomCell weights(t, 1);
  const Segments of = Segments::from_lengths(t.lengths);
  RecurrentInput in{random_tensor({4, 3}, 2), of};
  EXPECT_THROW(weights(in), Error);
  in.x = random_tensor({5, 2}, 2);
  EXPECT_THROW(weights(in), Error);
  in.x = random_tensor({5, 3}, 2);
  in.h0 = random_tensor({1, 4}, 2);
  EXPECT_THROW(weights(in), Error);
  in.h0 = Var();
  EXPECT_NO_THROW(weights(in));
  EXPECT_THROW(gru(in, weights.w), Error);
  in.c0 = random_tensor({2, 4}, 2);
  EXPECT_THROW(elman(in, weights.w), Error);
}

TEST(Recurrent, TrainsOnlyWithUnpackedWeights) {
  const TwinRecurrent t{TwinRecurrent::kLstm, 3, 4, {2, 3}};
  const RandomCell weights(t, 1);
  RecurrentInput in{random_tensor({5, 3}, 2),
                    Segments::from_lengths(t.lengths)};
  const PackedRecurrent packed =
      pack_recurrent(weights.w.input.value(), weights.w.recurrent.value());
  RecurrentWeights prepared = weights.w;
  prepared.input = prepared.recurrent = Var();
  EXPECT_THROW(lstm(in, prepared), Error);
  prepared.packed = &packed;
  EXPECT_THROW(lstm(in, prepared), Error);  // the bias is to be trained
  NoGrad inference;
  EXPECT_NO_THROW(lstm(in, prepared));
  EXPECT_THROW(gru(in, prepared), Error);
}

}  // namespace
}  // namespace fovea
