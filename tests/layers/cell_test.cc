#include "fovea/layers/cell.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "fovea/autograd/gather.h"
#include "fovea/base/check.h"
#include "support/compare.h"
#include "support/random.h"

namespace fovea {
namespace {

using testing::close;
using testing::random_tensor;
using testing::same_bits;

constexpr CellKind kAll[] = {CellKind::kRnn, CellKind::kGru,
                             CellKind::kGruAfter, CellKind::kLstm};

Segments ones(int count) {
  return Segments::from_lengths(std::vector<int>(count, 1));
}

// SPEC D2: input weights of one number for each gate, recurrent ones of 0.5.
Cell scalar_cell(CellKind kind, const std::vector<float>& input) {
  Cell cell({.kind = kind, .in = 1, .width = 1}, RandomKey(1));
  const auto gates = static_cast<int64_t>(input.size());
  cell.input = Var::parameter(Tensor::from({gates, 1}, input));
  cell.recurrent = Var::parameter(Tensor::full({gates, 1}, 0.5f));
  return cell;
}

RecurrentInput scalar_step() {
  return {.x = Tensor::of({1, 1}, {1.0f}),
          .of = ones(1),
          .h0 = Tensor::of({1, 1}, {0.5f})};
}

TEST(Cell, LstmGivesTheNumbersOfTheSpecification) {
  const Cell cell = scalar_cell(CellKind::kLstm, {0.1f, 0.2f, 0.3f, 0.4f});
  RecurrentInput in = scalar_step();
  in.c0 = Tensor::of({1, 1}, {0.2f});
  const RecurrentStates out = cell(in);
  EXPECT_NEAR(out.last_cell.value().item(), 0.45747950, 1e-6);
  EXPECT_NEAR(out.last.value().item(), 0.27142760, 1e-6);
}

TEST(Cell, GruGivesTheNumbersOfTheSpecification) {
  const Cell cell = scalar_cell(CellKind::kGru, {0.1f, 0.2f, 0.4f});
  EXPECT_NEAR(cell(scalar_step()).last.value().item(), 0.50147301, 1e-6);
}

// The other update with the same gates: z h + (1 - z) n. With one unit and no
// inner bias, r * (U h) is U (r * h).
TEST(Cell, GruWithResetAfterGivesTheNumbersOfTheSpecification) {
  const Cell cell = scalar_cell(CellKind::kGruAfter, {0.1f, 0.2f, 0.4f});
  EXPECT_NEAR(cell(scalar_step()).last.value().item(), 0.50103801, 1e-6);
}

TEST(Cell, LstmWithOpenForgetAndClosedInputGateKeepsItsCell) {
  Cell cell({.kind = CellKind::kLstm, .in = 3, .width = 4}, RandomKey(1));
  for (int i = 0; i < 4; ++i) {
    cell.bias.value()[i] = -50;     // i
    cell.bias.value()[4 + i] = 50;  // f
  }
  const Tensor c0 = random_tensor({1, 4}, 2);
  const RecurrentStates out =
      cell({.x = random_tensor({7, 3}, 3),
            .of = Segments::from_lengths(std::vector<int>{7}),
            .c0 = c0});
  EXPECT_TRUE(close(std::span<const float>(out.last_cell.value().span()),
                    std::span<const float>(c0.span()), 1e-6));
}

TEST(Cell, BeginsWithOrthogonalRecurrentMatricesAndTheForgetBias) {
  const Cell cell(
      {.kind = CellKind::kLstm, .in = 3, .width = 8, .forget_bias = 1.0f},
      RandomKey(1));
  for (int gate = 0; gate < 4; ++gate) {
    const Tensor u = cell.recurrent.value().row_range(8 * gate, 8 * gate + 8);
    for (int i = 0; i < 8; ++i) {
      for (int j = 0; j < 8; ++j) {
        double dot = 0;
        for (int k = 0; k < 8; ++k) dot += double{u[8 * i + k]} * u[8 * j + k];
        EXPECT_NEAR(dot, i == j, 1e-6);
      }
      EXPECT_EQ(cell.bias.value()[8 * gate + i], gate == 1 ? 1.0f : 0.0f);
    }
  }
}

TEST(Cell, ListsItsParametersOnce) {
  Cell gru({.kind = CellKind::kGruAfter, .in = 3, .width = 4}, RandomKey(1));
  EXPECT_EQ(Params(gru).count(), 12 * 3 + 12 * 4 + 12 + 4);
  Cell rnn({.kind = CellKind::kRnn, .in = 3, .width = 4}, RandomKey(1));
  EXPECT_EQ(Params(rnn).count(), 4 * 3 + 4 * 4 + 4);
}

TEST(Cell, RefusesToBeEmpty) {
  EXPECT_THROW(Cell({.in = 3, .width = 0}, RandomKey(1)), Error);
}

RecurrentInput random_input(const Segments& of, int in, const Cell& cell) {
  RecurrentInput input{.x = random_tensor({of.total(), in}, 5), .of = of};
  input.h0 = random_tensor({of.count(), cell.width()}, 6);
  if (cell.has_cells()) input.c0 = random_tensor({of.count(), cell.width()}, 7);
  return input;
}

TEST(Cell, PreparedGivesTheSameBits) {
  const NoGrad inference;
  const Segments of = Segments::from_lengths(std::vector<int>{3, 0, 5});
  for (CellKind kind : kAll) {
    Cell cell({.kind = kind, .in = 3, .width = 20}, RandomKey(1));
    const RecurrentInput in = random_input(of, 3, cell);
    const Tensor before = cell(in).states.value();
    Params(cell).prepare(Precision::kFloat32);
    EXPECT_TRUE(same_bits(cell(in).states.value().span(), before.span()));
  }
}

// All steps of sequences of one length, one by one, with `cell` for each.
Var step_by_step(const Cell& cell, const Var& x, int count, int steps) {
  CellState state{Tensor::zeros({count, cell.width()}), {}};
  if (cell.has_cells()) state.c = Tensor::zeros({count, cell.width()});
  std::vector<Var> all;
  for (int t = 0; t < steps; ++t) {
    const RecurrentStates out =
        cell({.x = slice_rows(x, t * count, (t + 1) * count),
              .of = ones(count),
              .h0 = state.h,
              .c0 = state.c});
    state = {out.last, out.last_cell};
    all.push_back(out.states);
  }
  return concat_rows(all);
}

std::vector<Tensor> gradients(Cell& cell, const Var& x) {
  std::vector<Tensor> all{x.grad()};
  const Params params(cell);
  for (const Params::Parameter& p : params.parameters()) {
    all.push_back(p.value->grad().clone());
    p.value->clear_grad();
  }
  x.clear_grad();
  return all;
}

TEST(Cell, LoopedGivesTheSameStatesAndGradients) {
  constexpr int kCount = 9, kSteps = 4, kIn = 5;
  for (CellKind kind : kAll) {
    Cell cell({.kind = kind, .in = kIn, .width = 7}, RandomKey(1));
    const Var x = Var::parameter(random_tensor({kCount * kSteps, kIn}, 3));
    const Tensor seed = random_tensor({kCount * kSteps, 7}, 4);
    const Var plain = step_by_step(cell, x, kCount, kSteps);
    plain.backward(seed);
    const std::vector<Tensor> expected = gradients(cell, x);
    const Var looped = step_by_step(cell.looped(), x, kCount, kSteps);
    looped.backward(seed);
    const std::vector<Tensor> got = gradients(cell, x);
    EXPECT_TRUE(close(std::span<const float>(looped.value().span()),
                      std::span<const float>(plain.value().span()), 1e-6));
    for (size_t i = 0; i < got.size(); ++i) {
      EXPECT_TRUE(close(std::span<const float>(got[i].span()),
                        std::span<const float>(expected[i].span()), 1e-5))
          << "gradient " << i;
    }
  }
}

TEST(Cell, LoopedOutsideOfTrainingGivesTheSameBits) {
  const NoGrad inference;
  for (CellKind kind : kAll) {
    const Cell cell({.kind = kind, .in = 5, .width = 7}, RandomKey(1));
    const Var x = random_tensor({12, 5}, 3);
    EXPECT_TRUE(same_bits(step_by_step(cell, x, 4, 3).value().span(),
                          step_by_step(cell.looped(), x, 4, 3).value().span()));
  }
}

// A frozen cell under a state that learns: no weight waits for its gradient.
TEST(Cell, LoopedPassesGradientsThroughFrozenWeights) {
  for (CellKind kind : kAll) {
    Cell cell({.kind = kind, .in = 5, .width = 7}, RandomKey(1));
    const Params params(cell);
    for (const Params::Parameter& p : params.parameters()) {
      *p.value = Var(p.value->value());
    }
    const Var x = Var::parameter(random_tensor({12, 5}, 3));
    const Tensor seed = random_tensor({12, 7}, 4);
    step_by_step(cell, x, 4, 3).backward(seed);
    const Tensor expected = x.grad().clone();
    x.clear_grad();
    step_by_step(cell.looped(), x, 4, 3).backward(seed);
    EXPECT_TRUE(close(std::span<const float>(x.grad().span()),
                      std::span<const float>(expected.span()), 1e-5));
  }
}

// SPEC D2: the gradient through an Elman net falls or grows with the spectral
// radius of its recurrent matrix.
TEST(Cell, GradientsThroughManyStepsVanishOrExplodeWithTheRecurrentMatrix) {
  constexpr int kSteps = 30, kWidth = 8;
  const auto gradient_norm = [&](float radius) {
    Cell cell({.kind = CellKind::kRnn, .in = 1, .width = kWidth}, RandomKey(1));
    for (float& u : cell.recurrent.value().span()) u *= radius;
    const Var h0 = Var::parameter(random_tensor({1, kWidth}, 3, 1e-6f));
    const RecurrentStates out =
        cell({.x = Tensor::zeros({kSteps, 1}),
              .of = Segments::from_lengths(std::vector<int>{kSteps}),
              .h0 = h0});
    out.last.backward(Tensor::full({1, kWidth}, 1.0f));
    double sum = 0;
    for (float g : h0.grad().span()) sum += double{g} * g;
    return std::sqrt(sum / kWidth);
  };
  EXPECT_NEAR(gradient_norm(0.8f), std::pow(0.8, kSteps), 1e-4);
  EXPECT_NEAR(gradient_norm(1.0f), 1.0, 1e-3);
  EXPECT_NEAR(gradient_norm(1.2f) / std::pow(1.2, kSteps), 1.0, 1e-2);
}

}  // namespace
}  // namespace fovea
