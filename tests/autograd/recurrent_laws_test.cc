// What holds for a recurrent layer in any batch, direction and stride.
#include <gtest/gtest.h>
// Needs the one above.
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "fovea/base/parallel.h"
#include "support/compare.h"
#include "support/effort.h"
#include "support/recurrent_cases.h"
#include "support/recurrent_op.h"

namespace fovea {
namespace {

using testing::lengths_of;
using testing::random_tensor;
using testing::RandomCell;
using testing::TwinRecurrent;

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
    const RandomCell weights(t, 1);
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
  const RandomCell weights(t, 1);
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
    const RandomCell weights(t, 1);
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
    const RandomCell weights(t, 1);
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

}  // namespace
}  // namespace fovea
