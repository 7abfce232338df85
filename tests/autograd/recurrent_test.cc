#include "fovea/autograd/recurrent.h"

#include <gtest/gtest.h>
// Needs the one above.
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "fovea/base/check.h"
#include "fovea/base/parallel.h"
#include "support/compare.h"
#include "support/effort.h"
#include "support/recurrent_cases.h"

namespace fovea {
namespace {

using testing::Doubles;
using testing::random_tensor;
using testing::TwinRecurrent;

kernels::GruVariant variant_of(const TwinRecurrent& t) {
  using kernels::GruReset, kernels::GruUpdate;
  return {t.reset_after ? GruReset::kAfter : GruReset::kBefore,
          t.keeps_old ? GruUpdate::kKeepsOld : GruUpdate::kTakesNew};
}

RecurrentStates run(const TwinRecurrent& t, const RecurrentInput& in,
                    const RecurrentWeights& w) {
  switch (t.cell) {
    case TwinRecurrent::kElman:
      return elman(in, w);
    case TwinRecurrent::kLstm:
      return lstm(in, w);
    default:
      return gru(in, w, variant_of(t));
  }
}

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

// Random weights, the same for every batch.
struct Weights {
  TwinRecurrent cell;
  RecurrentWeights w;
  Weights(const TwinRecurrent& t, uint64_t seed) : cell(t) {
    const int64_t out = t.gates() * t.width;
    const float scale = 1.0f / std::sqrt(static_cast<float>(t.width));
    w.input = Var::parameter(random_tensor({out, t.in}, seed, scale));
    w.recurrent =
        Var::parameter(random_tensor({out, t.width}, seed + 1, scale));
    w.bias = Var::parameter(random_tensor({out}, seed + 2, 0.1f));
    if (t.reset_after) {
      w.inner_bias = Var::parameter(random_tensor({t.width}, seed + 3, 0.1f));
    }
  }
  RecurrentStates operator()(const RecurrentInput& in) const {
    return run(cell, in, w);
  }
};

std::vector<int> lengths_of(int count) {
  std::vector<int> lengths = testing::random_lengths(count, 0, 6, count);
  return lengths;
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
  const Weights weights(t, 1);
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
    const Weights weights(t, 1);
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
    const Weights weights(t, 1);
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

// Rows of every sequence in the opposite order.
Tensor turned(const Tensor& x, const Segments& of) {
  Tensor y(x.shape());
  for (int b = 0; b < of.count(); ++b) {
    for (int i = 0; i < of.length(b); ++i) {
      const int from = of.begin(b) + i, to = of.end(b) - 1 - i;
      y.row_range(to, to + 1).copy_from(x.row_range(from, from + 1));
    }
  }
  return y;
}

TEST(Recurrent, ReverseIsForwardOnTurnedSequences) {
  for (TwinRecurrent t : testing::all_cells(6, 10, lengths_of(30))) {
    if (t.reverse) continue;
    NoGrad inference;
    const Weights weights(t, 1);
    RecurrentInput in{random_tensor({t.tokens(), 6}, 2),
                      Segments::from_lengths(t.lengths), true};
    const RecurrentStates back = weights(in);
    in.x = turned(in.x.value(), in.of);
    in.reverse = false;
    const RecurrentStates forth = weights(in);
    EXPECT_TRUE(testing::same_bits(turned(back.states.value(), in.of).span(),
                                   forth.states.value().span()));
    EXPECT_TRUE(testing::same_bits(back.last.value().span(),
                                   forth.last.value().span()));
  }
}

// The sequence b of a batch alone.
RecurrentInput only(const RecurrentInput& in, int b) {
  RecurrentInput out = in;
  const int length = in.of.length(b);
  out.x = in.x.value().row_range(in.of.begin(b), in.of.end(b)).clone();
  out.of = Segments::from_lengths(std::vector<int>{length});
  if (in.h0) out.h0 = in.h0.value().row_range(b, b + 1).clone();
  if (in.c0) out.c0 = in.c0.value().row_range(b, b + 1).clone();
  return out;
}

RecurrentInput random_batch(const TwinRecurrent& t,
                            const std::vector<int>& lengths, uint64_t seed) {
  const Segments of = Segments::from_lengths(lengths);
  RecurrentInput in{random_tensor({of.total(), t.in}, seed), of, t.reverse};
  in.h0 = random_tensor({of.count(), t.width}, seed + 1);
  if (t.cell == TwinRecurrent::kLstm) {
    in.c0 = random_tensor({of.count(), t.width}, seed + 2);
  }
  return in;
}

RC_GTEST_PROP(RecurrentLaw, ASequenceGivesTheSameBitsAloneAndInAnyBatch, ()) {
  const auto width = *rc::gen::element(1, 7, 16, 33, 40);
  const auto cells = testing::all_cells(*rc::gen::element(1, 5, 24), width, {});
  const TwinRecurrent t = *rc::gen::elementOf(cells);
  const auto lengths = *rc::gen::resize(
      40, rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(
              rc::gen::inRange(0, testing::effort(12, 4)))));
  const Weights weights(t, 1);
  const RecurrentInput batch = random_batch(t, lengths, 9);
  const int b = *rc::gen::inRange<int>(0, lengths.size());
  NoGrad inference;
  std::optional<RecurrentStates> alone;
  for (int threads : {1, 2, 4}) {
    ThreadLimit limit(threads);
    if (!alone) alone = weights(only(batch, b));
    const RecurrentStates all = weights(batch);
    RC_ASSERT(bool(testing::same_bits(
        all.states.value().row_range(batch.of.begin(b), batch.of.end(b)).span(),
        alone->states.value().span())));
    RC_ASSERT(
        bool(testing::same_bits(all.last.value().row_range(b, b + 1).span(),
                                alone->last.value().span())));
  }
}

TEST(Recurrent, ASequenceAgreesAloneAndInABatchWhileTraining) {
  for (const TwinRecurrent& t : testing::all_cells(24, 40, {})) {
    const Weights weights(t, 1);
    const RecurrentInput batch = random_batch(t, lengths_of(25), 9);
    const RecurrentStates all = weights(batch);
    for (int b = 0; b < batch.of.count(); ++b) {
      const RecurrentStates alone = weights(only(batch, b));
      EXPECT_TRUE(testing::close(
          std::span<const float>(all.last.value().row_range(b, b + 1).span()),
          std::span<const float>(alone.last.value().span()), 1e-6, 1.0));
    }
  }
}

TEST(Recurrent, StepByStepGivesTheSameBitsAsTheWhole) {
  const int count = 11, steps = 5;
  for (const TwinRecurrent& t : testing::all_cells(9, 20, {})) {
    if (t.reverse) continue;
    const Weights weights(t, 1);
    const RecurrentInput whole =
        random_batch(t, std::vector<int>(count, steps), 9);
    const PackedRecurrent packed =
        t.cell == TwinRecurrent::kGru
            ? pack_gru(weights.w.input.value(), weights.w.recurrent.value(),
                       variant_of(t).reset)
            : pack_recurrent(weights.w.input.value(),
                             weights.w.recurrent.value());
    RecurrentWeights prepared = weights.w;
    prepared.packed = &packed;
    prepared.input = prepared.recurrent = Var();
    NoGrad inference;
    const RecurrentStates all = weights(whole);
    RecurrentInput step = whole;
    step.of = Segments::from_lengths(std::vector<int>(count, 1));
    for (int i = 0; i < steps; ++i) {
      Tensor x({count, t.in});
      for (int b = 0; b < count; ++b) {
        const int row = b * steps + i;
        x.row_range(b, b + 1).copy_from(
            whole.x.value().row_range(row, row + 1));
      }
      step.x = x;
      const RecurrentStates next = run(t, step, prepared);
      step.h0 = next.last;
      step.c0 = next.last_cell;
    }
    EXPECT_TRUE(
        testing::same_bits(step.h0.value().span(), all.last.value().span()))
        << testing::name_of(t);
  }
}

// SPEC D2: the gradient through T Elman steps goes with the T-th power of the
// recurrent weights.
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
  const Weights weights(t, 1);
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
  const Weights weights(t, 1);
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
