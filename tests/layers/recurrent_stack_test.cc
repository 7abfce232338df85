#include "fovea/layers/recurrent_stack.h"

#include <gtest/gtest.h>

#include "fovea/autograd/elementwise.h"
#include "fovea/autograd/gather.h"
#include "fovea/base/check.h"
#include "support/compare.h"
#include "support/random.h"

namespace fovea {
namespace {

using testing::random_tensor;
using testing::same_bits;

const Segments kOf = Segments::from_lengths(std::vector<int>{3, 1, 2});

StackConfig config_of(int layers, CellKind kind = CellKind::kLstm) {
  return {.cell = {.kind = kind, .in = 4, .width = 4}, .layers = layers};
}

std::vector<CellState> first_states(int layers, bool cells) {
  std::vector<CellState> first;
  for (int i = 0; i < layers; ++i) {
    first.push_back({random_tensor({3, 4}, 10 + i), {}});
    if (cells) first.back().c = random_tensor({3, 4}, 20 + i);
  }
  return first;
}

std::span<const float> numbers(const Var& x) { return x.value().span(); }

TEST(RecurrentStack, IsOneCellAboveTheOther) {
  const RecurrentStack stack(config_of(2), RandomKey(1));
  const auto first = first_states(2, true);
  const Tensor x = random_tensor({6, 4}, 3);
  const auto out = stack(x, kOf, first, {});
  const auto run = [&](int layer, const Var& input) {
    const Cell cell(config_of(1).cell, RandomKey(1).with("layer").with(layer));
    return cell(
        {.x = input, .of = kOf, .h0 = first[layer].h, .c0 = first[layer].c});
  };
  const RecurrentStates low = run(0, x), high = run(1, low.states);
  EXPECT_TRUE(same_bits(numbers(out.states), numbers(high.states)));
  EXPECT_TRUE(same_bits(numbers(out.last[0].c), numbers(low.last_cell)));
  EXPECT_TRUE(same_bits(numbers(out.last[1].h), numbers(high.last)));
}

TEST(RecurrentStack, ResidualsAddTheLayerBelowAndNotTheContext) {
  StackConfig config = config_of(1, CellKind::kGru);
  config.context = 3;
  const Tensor x = random_tensor({6, 4}, 3), context = random_tensor({6, 3}, 4);
  const auto first = first_states(1, false);
  const Var plain =
      RecurrentStack(config, RandomKey(1))(x, kOf, first, {}, context).states;
  config.residual_from = 1;
  const Var residual =
      RecurrentStack(config, RandomKey(1))(x, kOf, first, {}, context).states;
  EXPECT_TRUE(same_bits(numbers(residual), numbers(plain + Var(x))));
}

TEST(RecurrentStack, CountsTheLayersBelowItForResiduals) {
  StackConfig config = config_of(2, CellKind::kGru);
  config.residual_from = 3;
  const Tensor x = random_tensor({6, 4}, 3);
  const auto first = first_states(2, false);
  const auto run = [&] {
    return RecurrentStack(config, RandomKey(1))(x, kOf, first, {}).states;
  };
  const Tensor none = run().value();
  config.below = 1;
  EXPECT_FALSE(same_bits(run().value().span(), none.span()));
}

TEST(RecurrentStack, DropsBetweenLayersOnly) {
  StackConfig config = config_of(2);
  config.dropout = 0.5f;
  const RecurrentStack stack(config, RandomKey(1));
  const auto first = first_states(2, true);
  const Tensor x = random_tensor({6, 4}, 3);
  const Pass training{.training = true, .key = RandomKey(2)};
  const auto dropped = stack(x, kOf, first, training);
  const auto whole = stack(x, kOf, first, {});
  EXPECT_TRUE(same_bits(numbers(dropped.last[0].h), numbers(whole.last[0].h)));
  EXPECT_FALSE(same_bits(numbers(dropped.states), numbers(whole.states)));
}

TEST(RecurrentStack, WithoutLayersGivesWhatItReads) {
  const Tensor x = random_tensor({6, 4}, 3);
  const auto out = RecurrentStack(config_of(0), RandomKey(1))(x, kOf, {}, {});
  EXPECT_TRUE(same_bits(numbers(out.states), x.span()));
  EXPECT_TRUE(out.last.empty());
}

TEST(RecurrentStack, RefusesAResidualBetweenUnequalWidths) {
  StackConfig config = config_of(2);
  config.cell.in = 3;
  config.residual_from = 1;
  EXPECT_THROW(RecurrentStack(config, RandomKey(1)), Error);
  config.residual_from = 2;
  EXPECT_NO_THROW(RecurrentStack(config, RandomKey(1)));
}

TEST(RecurrentStack, StatesBecomeRowsAndRowsStates) {
  for (bool cells : {false, true}) {
    const auto states = first_states(3, cells);
    const std::vector<Var> rows = flat(states);
    EXPECT_EQ(rows.size(), cells ? 6u : 3u);
    const auto again = by_layers(rows, 3, cells);
    for (int i = 0; i < 3; ++i) {
      EXPECT_TRUE(same_bits(numbers(again[i].h), numbers(states[i].h)));
      EXPECT_EQ(static_cast<bool>(again[i].c), cells);
    }
  }
}

}  // namespace
}  // namespace fovea
