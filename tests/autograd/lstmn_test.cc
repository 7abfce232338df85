#include "fovea/autograd/lstmn.h"

#include <gtest/gtest.h>
// Needs the one above.
#include <rapidcheck/gtest.h>

#include "fovea/autograd/gather.h"
#include "fovea/base/check.h"
#include "fovea/base/parallel.h"
#include "support/check_op.h"
#include "support/compare.h"
#include "support/effort.h"
#include "support/random.h"
#include "support/twin_lstmn.h"

namespace fovea {
namespace {

using testing::Doubles;
using testing::random_tensor;
using testing::same_bits;
using testing::TwinLstmn;

std::vector<Tensor> random_inputs(const TwinLstmn& t, uint64_t seed) {
  std::vector<Tensor> all;
  for (const auto& dims : t.shapes()) {
    const Shape shape =
        dims.size() == 1 ? Shape{dims[0]} : Shape{dims[0], dims[1]};
    all.push_back(random_tensor(shape, ++seed, 0.5f));
  }
  return all;
}

struct Problem {
  LstmnInput in;
  LstmnWeights w;
};

Problem problem_of(const TwinLstmn& t, const std::vector<Var>& vars) {
  Problem p;
  size_t at = 0;
  p.in.of = Segments::from_lengths(t.lengths);
  p.in.x = vars[at++];
  p.w.cell.input = vars[at++];
  p.w.cell.recurrent = vars[at++];
  p.w.cell.bias = vars[at++];
  if (!t.given) {
    p.w.key = vars[at++];
    p.w.query = vars[at++];
    if (t.summary) p.w.summary = vars[at++];
    p.w.v = vars[at++];
  }
  if (t.added) p.in.added = vars[at++];
  if (t.given) p.in.weights = vars[at++];
  return p;
}

Problem problem_of(const TwinLstmn& t, const std::vector<Tensor>& values) {
  return problem_of(t, std::vector<Var>(values.begin(), values.end()));
}

// States, cells and softmax in one column.
Var joined(const LstmnStates& out) {
  std::vector<Var> parts;
  for (const Var& part : {out.states, out.cells, out.weights}) {
    parts.push_back(reshape(part, {part.value().size(), 1}));
  }
  return concat_rows(parts);
}

void check_against_twin(const TwinLstmn& t) {
  testing::check_op(
      [&](const std::vector<Var>& vars) {
        const Problem p = problem_of(t, vars);
        return joined(lstmn(p.in, p.w));
      },
      [&](const std::vector<Doubles>& in) { return t.forward(in); },
      random_inputs(t, 11));
}

const std::vector<int> kLengths = {3, 0, 1, 5};

TEST(Lstmn, MatchesTheTwinWithItsGradientsOnEveryTarget) {
  testing::on_every_target([] {
    for (int width : {1, 5, 9}) {
      for (bool summary : {true, false}) {
        check_against_twin({.in = 3,
                            .width = width,
                            .scored = width + 2,
                            .lengths = kLengths,
                            .summary = summary});
      }
    }
  });
}

TEST(Lstmn, MatchesTheTwinAtALargerOddWidth) {
  check_against_twin({.in = 5,
                      .width = testing::effort(17, 5),
                      .scored = testing::effort(19, 7),
                      .lengths = {4, 2}});
}

TEST(Lstmn, AddsWhatDeepFusionAddsWithItsGradients) {
  check_against_twin(
      {.in = 3, .width = 4, .scored = 5, .lengths = kLengths, .added = true});
}

TEST(Lstmn, TakesGivenWeightsWithTheirGradients) {
  for (bool added : {false, true}) {
    check_against_twin({.in = 3,
                        .width = 4,
                        .lengths = kLengths,
                        .added = added,
                        .given = true});
  }
}

TEST(Lstmn, SurvivesABatchWithoutTokens) {
  for (const std::vector<int>& lengths :
       {std::vector<int>{}, std::vector<int>{0, 0}}) {
    check_against_twin({.in = 3, .width = 4, .scored = 5, .lengths = lengths});
  }
}

// Weights that are all on the slot before.
Tensor on_the_last(const std::vector<int>& lengths) {
  std::vector<float> all;
  for (int n : lengths) {
    for (int i = 1; i <= n; ++i) {
      all.insert(all.end(), i - 1, 0.0f);
      all.push_back(1.0f);
    }
  }
  return Tensor::from({std::ssize(all)}, all);
}

// SPEC B13: all mass on t - 1.
TEST(Lstmn, WithAllWeightOnTheStepBeforeIsAnLstmToTheBit) {
  const TwinLstmn t{
      .in = 6, .width = 13, .lengths = {4, 0, 9, 1, 7}, .given = true};
  std::vector<Tensor> inputs = random_inputs(t, 3);
  inputs.back() = on_the_last(t.lengths);
  const Problem p = problem_of(t, inputs);
  const LstmnStates out = lstmn(p.in, p.w);
  const RecurrentStates truth = lstm({p.in.x, p.in.of}, p.w.cell);
  EXPECT_TRUE(
      same_bits(out.states.value().span(), truth.states.value().span()));
  for (int b = 0; b < p.in.of.count(); ++b) {
    if (p.in.of.length(b) == 0) continue;
    const int last = p.in.of.end(b) - 1;
    EXPECT_TRUE(same_bits(out.cells.value().row_range(last, last + 1).span(),
                          truth.last_cell.value().row_range(b, b + 1).span()));
  }
}

TEST(Lstmn, WeightsOfASequenceAreALowerTriangleWhoseRowsSumToOne) {
  const TwinLstmn t{.in = 2, .width = 3, .scored = 4, .lengths = kLengths};
  const Problem p = problem_of(t, random_inputs(t, 5));
  const LstmnStates out = lstmn(p.in, p.w);
  ASSERT_EQ(out.pairs.rows(), 9);
  EXPECT_EQ(out.pairs.row(0).keys, 1);
  EXPECT_EQ(out.pairs.row(3).keys, 1);  // a new sequence
  EXPECT_EQ(out.pairs.row(8).keys, 5);
  EXPECT_EQ(out.weights.value()[0], 1.0f);  // nothing but the empty slot
  for (int m = 0; m < 9; ++m) {
    double sum = 0;
    for (int j = 0; j < out.pairs.row(m).keys; ++j) {
      const float w = out.weights.value()[out.pairs.begin(m, 0) + j];
      EXPECT_GE(w, 0.0f);
      sum += w;
    }
    EXPECT_NEAR(sum, 1, 1e-6);
  }
}

// Random parameters for any x.
struct RandomNet {
  TwinLstmn t;
  std::vector<Var> vars;  // in the order of the twin's inputs

  explicit RandomNet(const TwinLstmn& twin) : t(twin) {
    for (const Tensor& x : random_inputs(t, 21)) {
      vars.push_back(Var::parameter(x));
    }
  }
  LstmnWeights weights() const { return problem_of(t, vars).w; }
  LstmnStates operator()(const Var& x, const std::vector<int>& lengths) const {
    return lstmn({.x = x, .of = Segments::from_lengths(lengths)}, weights());
  }
};

RC_GTEST_PROP(LstmnLaw, ASequenceGivesTheSameBitsAloneAndInAnyBatch, ()) {
  const RandomNet net({.in = *rc::gen::element(1, 5),
                       .width = *rc::gen::element(1, 8, 19),
                       .scored = *rc::gen::element(1, 16, 21),
                       .summary = *rc::gen::arbitrary<bool>()});
  const auto lengths = *rc::gen::resize(
      30, rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(
              rc::gen::inRange(0, testing::effort(12, 4)))));
  const Segments of = Segments::from_lengths(lengths);
  const Tensor x = random_tensor({of.total(), net.t.in}, 9);
  const int b = *rc::gen::inRange<int>(0, lengths.size());
  const NoGrad inference;
  const LstmnStates alone =
      net(x.row_range(of.begin(b), of.end(b)).clone(), {lengths[b]});
  for (int threads : {1, 2, 4}) {
    const ThreadLimit limit(threads);
    const LstmnStates all = net(x, lengths);
    RC_ASSERT(bool(
        same_bits(all.states.value().row_range(of.begin(b), of.end(b)).span(),
                  alone.states.value().span())));
    if (lengths[b] == 0) continue;
    RC_ASSERT(bool(same_bits(
        all.weights.value().span().subspan(all.pairs.begin(of.begin(b), 0),
                                           alone.weights.value().size()),
        alone.weights.value().span())));
  }
}

// Law P4.
TEST(LstmnLaw, WhatComesLaterChangesNothingBefore) {
  const RandomNet net({.in = 4, .width = 11, .scored = 6});
  const NoGrad inference;
  const Tensor x = random_tensor({8, 4}, 1);
  const Tensor before = net(x, {8}).states.value().row_range(0, 5).clone();
  x.row_range(5, 8).copy_from(random_tensor({3, 4}, 2));
  EXPECT_TRUE(same_bits(net(x, {8}).states.value().row_range(0, 5).span(),
                        before.span()));
}

TEST(LstmnLaw, NoGradientGoesToWhatComesLater) {
  const RandomNet net({.in = 4, .width = 5, .scored = 6, .lengths = {8}});
  const LstmnStates out = net(net.vars[0], {8});
  slice_rows(out.states, 0, 3).backward(Tensor::full({3, 5}, 1));
  const Tensor dx = net.vars[0].grad();
  EXPECT_NE(dx[2 * 4], 0.0f);
  for (int64_t i = 3 * 4; i < dx.size(); ++i) EXPECT_EQ(dx[i], 0.0f);
}

TEST(Lstmn, GradientsAgreeWithAnyNumberOfThreads) {
  const std::vector<int> lengths = testing::random_lengths(40, 0, 9, 4);
  std::vector<Tensor> first;
  testing::with_threads({1, 2, 3, 4}, [&](int threads) {
    const RandomNet net(
        {.in = 7, .width = 19, .scored = 33, .lengths = lengths});
    const LstmnStates out = net(net.vars[0], lengths);
    out.states.backward(random_tensor(out.states.shape(), 8));
    for (size_t i = 0; i < net.vars.size(); ++i) {
      if (threads == 1) first.push_back(net.vars[i].grad());
      EXPECT_TRUE(
          testing::close(std::span<const float>(net.vars[i].grad().span()),
                         std::span<const float>(first[i].span()), 1e-6));
    }
  });
}

// Goes through the sequences of x one step at a time; calls check(states, rows
// of x) for each.
void step_by_step(
    const LstmnWeights& w, LstmnTape& tape, const Tensor& x,
    const std::vector<int>& lengths,
    const std::function<void(const Tensor&, const std::vector<int>&)>& check) {
  const Segments of = Segments::from_lengths(lengths);
  for (int t = 0; t < of.longest(); ++t) {
    std::vector<int> running, rows;
    for (int b = 0; b < of.count(); ++b) {
      running.push_back(t < of.length(b));
      if (t < of.length(b)) rows.push_back(of.begin(b) + t);
    }
    const LstmnInput in{.x = gather(Var(x), rows),
                        .of = Segments::from_lengths(running)};
    check(lstmn(tape, in, w).states.value(), rows);
  }
}

// Law P8.
TEST(LstmnLaw, StepByStepGivesTheSameBitsAsTheWhole) {
  for (bool summary : {true, false}) {
    for (bool packed : {true, false}) {
      const RandomNet net(
          {.in = 3, .width = 9, .scored = 7, .summary = summary});
      const std::vector<int> lengths = {5, 0, 3, 8};
      const Tensor x = random_tensor({16, 3}, 1);
      const NoGrad inference;
      const Tensor whole = net(x, lengths).states.value();
      LstmnWeights w = net.weights();
      const PackedLstmn weights = pack_lstmn(w);
      if (packed) w.packed = &weights;
      LstmnTape tape = empty_lstmn_tape(4, 9, 7);
      step_by_step(w, tape, x, lengths,
                   [&](const Tensor& states, const std::vector<int>& rows) {
                     for (size_t i = 0; i < rows.size(); ++i) {
                       EXPECT_TRUE(same_bits(
                           states.row_range(i, i + 1).span(),
                           whole.row_range(rows[i], rows[i] + 1).span()));
                     }
                   });
      EXPECT_EQ(tape.rows[3].length, 9);
      EXPECT_EQ(tape.rows[1].length, 1);
    }
  }
}

TEST(Lstmn, ATapeCanBeReorderedBetweenSteps) {
  const RandomNet net({.in = 3, .width = 5, .scored = 4});
  const LstmnWeights w = net.weights();
  const NoGrad inference;
  const auto run = [&](LstmnTape& tape, const Tensor& x,
                       const std::vector<int>& lengths) {
    return lstmn(tape, {.x = x, .of = Segments::from_lengths(lengths)}, w)
        .states.value();
  };
  const Tensor next = random_tensor({2, 3}, 2);
  LstmnTape tape = empty_lstmn_tape(2, 5, 4);
  run(tape, random_tensor({5, 3}, 1), {2, 3});
  LstmnTape twice = tape.select(std::vector<int>{1, 1});
  const Tensor both = run(twice, next, {1, 1});
  const Tensor kept = run(tape, next, {1, 1});  // the old tape is untouched
  EXPECT_TRUE(
      same_bits(both.row_range(1, 2).span(), kept.row_range(1, 2).span()));
  EXPECT_FALSE(
      same_bits(both.row_range(0, 1).span(), kept.row_range(0, 1).span()));
  EXPECT_THROW(tape.select(std::vector<int>{2}), Error);
}

TEST(Lstmn, ATapeTakesGivenWeightsAndKeepsItsKeys) {
  const RandomNet net({.in = 3, .width = 5, .scored = 4});
  const LstmnWeights w = net.weights();
  const NoGrad inference;
  const Segments two = Segments::from_lengths(std::vector<int>{2});
  LstmnTape own = empty_lstmn_tape(1, 5, 4);
  LstmnTape given = own.select(std::vector<int>{0});
  const Tensor x = random_tensor({2, 3}, 1);
  const LstmnStates a = lstmn(own, {.x = x, .of = two}, w);
  lstmn(given, {.x = x, .of = two, .weights = a.weights}, w);
  EXPECT_TRUE(same_bits(own.slots.row_range(0, 3).span(),
                        given.slots.row_range(0, 3).span()));
  EXPECT_TRUE(same_bits(own.keys.row_range(0, 3).span(),
                        given.keys.row_range(0, 3).span()));
}

TEST(Lstmn, RefusesWhatDoesNotFit) {
  const RandomNet net({.in = 3, .width = 5, .scored = 4, .lengths = {2}});
  const Segments two = Segments::from_lengths(std::vector<int>{2});
  const LstmnWeights w = net.weights();
  const Tensor x = random_tensor({2, 3}, 1);
  EXPECT_THROW(lstmn({.x = random_tensor({3, 3}, 1), .of = two}, w), Error);
  EXPECT_THROW(lstmn({.x = x, .of = two, .added = random_tensor({2, 4}, 1)}, w),
               Error);
  EXPECT_THROW(lstmn({.x = x, .of = two, .weights = random_tensor({2}, 1)}, w),
               Error);
  LstmnWeights bad = w;
  bad.v = Var();
  EXPECT_THROW(lstmn({.x = x, .of = two}, bad), Error);
  LstmnTape tape = empty_lstmn_tape(1, 5, 4);
  EXPECT_THROW(lstmn(tape, {.x = x, .of = two}, w), Error);  // a graph
}

}  // namespace
}  // namespace fovea
