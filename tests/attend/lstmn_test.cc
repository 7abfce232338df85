#include "fovea/attend/lstmn.h"

#include <cmath>

#include "fovea/attend/impose.h"
#include "fovea/attend/trace.h"
#include "fovea/autograd/gather.h"
#include "fovea/base/check.h"
#include "support/check_layer.h"
#include "support/compare.h"
#include "support/random.h"
#include "support/twin_lstmn.h"

namespace fovea {
namespace {

using testing::Doubles;
using testing::random_tensor;
using testing::same_bits;
using testing::TwinLstmn;

const std::vector<int> kLengths = {3, 0, 1, 4};
constexpr int kIn = 3, kWidth = 4, kHidden = 5;

Segments segments() { return Segments::from_lengths(kLengths); }
Tensor words() { return random_tensor({8, kIn}, 1); }

Lstmn random_lstmn(LstmnConfig config = {}) {
  config.width = kWidth;
  config.hidden = kHidden;
  Lstmn net(config, kIn, RandomKey(1));
  testing::randomise(Params(net), 60, 0.7f);
  return net;
}

TwinLstmn twin_of(bool summary) {
  return {.in = kIn,
          .width = kWidth,
          .scored = kHidden,
          .lengths = kLengths,
          .summary = summary};
}

Doubles states_only(const Doubles& all) {
  return {all.begin(), all.begin() + 8 * kWidth};
}

TEST(LstmnLayer, MatchesTheTwinWithAndWithoutItsSummary) {
  for (bool summary : {true, false}) {
    Lstmn net = random_lstmn({.summary = summary});
    testing::check_layer(
        Params(net),
        [&](const auto& in) { return net(in[0], segments(), {}).states; },
        [&](const auto& in) {
          return states_only(twin_of(summary).forward(in));
        },
        {words()});
  }
}

// Inputs: x, gamma, alpha, then the parameters: the twin's, W and b of the
// gate.
Doubles twin_fused(const std::vector<Doubles>& in) {
  TwinLstmn twin = twin_of(true);
  twin.added = true;
  Doubles added;
  const Doubles &w = in[in.size() - 2], &b = in[in.size() - 1];
  for (int i = 0; i < 8; ++i) {
    for (int k = 0; k < kWidth; ++k) {
      const double* row = w.data() + k * (kWidth + kIn);
      double x = b[k];
      for (int j = 0; j < kWidth; ++j) x += row[j] * in[1][i * kWidth + j];
      for (int j = 0; j < kIn; ++j) x += row[kWidth + j] * in[0][i * kIn + j];
      added.push_back(in[2][i * kWidth + k] / (1 + std::exp(-x)));
    }
  }
  std::vector<Doubles> inputs = {in[0]};
  inputs.insert(inputs.end(), in.begin() + 3, in.end() - 2);
  inputs.push_back(added);
  return states_only(twin.forward(inputs));
}

TEST(LstmnLayer, FusesAnotherSequenceWithTheRightGradients) {
  Lstmn net = random_lstmn({.fusion = true});
  testing::check_layer(
      Params(net),
      [&](const auto& in) {
        return net(in[0], segments(), {}, {in[1], in[2]}).states;
      },
      twin_fused,
      {words(), random_tensor({8, kWidth}, 2), random_tensor({8, kWidth}, 3)});
}

TEST(LstmnLayer, RefusesASummaryWithoutFusionAndFusionWithoutASummary) {
  const Var rows = random_tensor({8, kWidth}, 2);
  EXPECT_THROW(random_lstmn()(words(), segments(), {}, {rows, rows}), Error);
  EXPECT_THROW(random_lstmn({.fusion = true})(words(), segments(), {}), Error);
  EXPECT_THROW(Lstmn({.width = 0}, 3, RandomKey(1)), Error);
  EXPECT_THROW(Lstmn({.hidden = -1}, 3, RandomKey(1)), Error);
}

TEST(LstmnLayer, RecordsALowerTriangleForEachSequence) {
  const Lstmn net = random_lstmn();
  Trace trace;
  Pass pass;
  pass.trace = &trace;
  const LstmnReading out = net(words(), segments(), pass.in("read"));
  const Record& record = *trace.of("read").at(0);
  EXPECT_EQ(record.about().kind, "intra");
  ASSERT_EQ(record.sequences(), 4);
  EXPECT_EQ(record.queries(3), 4);
  EXPECT_EQ(record.keys(3), 4);
  EXPECT_EQ(record.keys(1), 0);
  const Tensor map = record.weights(3, 0);
  const std::vector<bool> valid = record.valid(3);
  for (int i = 0; i < 4; ++i) {
    float sum = 0;
    for (int j = 0; j < 4; ++j) {
      EXPECT_EQ(valid[i * 4 + j], j <= i);
      EXPECT_TRUE(j <= i || map[i * 4 + j] == 0.0f);
      sum += map[i * 4 + j];
    }
    EXPECT_NEAR(sum, 1, 1e-6);
  }
  const int64_t last = out.weights.pairs.begin(7, 0);
  EXPECT_TRUE(same_bits(map.span().subspan(12, 4),
                        out.weights.values.value().span().subspan(last, 4)));
}

// All weight on the slot before, whatever the layer computes.
Var on_the_last(const Pairs& pairs) {
  const Tensor w = Tensor::zeros({pairs.size()});
  for (int64_t m = 0; m < pairs.rows(); ++m) {
    w[pairs.begin(m, 0) + pairs.row(m).keys - 1] = 1;
  }
  return w;
}

TEST(LstmnLayer, IsAnLstmWhenAllWeightIsImposedOnTheStepBefore) {
  Lstmn net = random_lstmn();
  Impose impose;
  impose.weights("read", [](const Var&, const Pairs& pairs) {
    return on_the_last(pairs);
  });
  Pass pass;
  pass.impose = &impose;
  const NoGrad inference;
  const Var states = net(words(), segments(), pass.in("read")).states;
  const Params params(net);
  const RecurrentStates truth =
      lstm({.x = words(), .of = segments()},
           {.input = *params.parameters()[0].value,
            .recurrent = *params.parameters()[1].value,
            .bias = *params.parameters()[2].value});
  EXPECT_TRUE(same_bits(states.value().span(), truth.states.value().span()));
}

TEST(LstmnLayer, ImposedWeightsLearnAndTheirOwnAreWhatIsChanged) {
  const Lstmn net = random_lstmn();
  const Tensor own = net(words(), segments(), {}).weights.values.value();
  const Var factor = Var::parameter(Tensor::full({own.size()}, 1));
  Impose impose;
  impose.weights("read", [&](const Var& w, const Pairs&) {
    EXPECT_TRUE(same_bits(w.value().span(), own.span()));
    return factor;
  });
  Pass pass;
  pass.impose = &impose;
  const Var states = net(words(), segments(), pass.in("read")).states;
  states.backward(Tensor::full(states.shape(), 1));
  EXPECT_EQ(factor.grad()[0], 0.0f);  // the weight of the empty slot
  EXPECT_NE(factor.grad()[2], 0.0f);
}

TEST(LstmnLayer, AHeadMaskOfZeroForgetsThePast) {
  const Lstmn net = random_lstmn();
  Impose impose;
  impose.head_mask("read", {0.0f});
  Pass pass;
  pass.impose = &impose;
  const NoGrad inference;
  const Tensor x = words();
  const Tensor cut = net(x, segments(), pass.in("read")).states.value();
  const Segments one = Segments::from_lengths(std::vector<int>{1});
  const Tensor alone = net(x.row_range(2, 3).clone(), one, {}).states.value();
  EXPECT_TRUE(same_bits(cut.row_range(2, 3).span(), alone.span()));
}

// Law P8, prepared or not, imposed or not.
TEST(LstmnLayer, StepByStepGivesTheStatesAndRecordsOfTheWhole) {
  Impose impose;
  impose.weights("read", [](const Var&, const Pairs& pairs) {
    return uniform_weights(pairs);
  });
  for (int variant = 0; variant < 4; ++variant) {
    Lstmn net = random_lstmn();
    if (variant % 2) Params(net).prepare(Precision::kFloat32);
    Trace whole, steps;
    Pass pass;
    if (variant / 2) pass.impose = &impose;
    const NoGrad inference;
    const Tensor x = random_tensor({4, kIn}, 7);
    const auto of = [](int n) {
      return Segments::from_lengths(std::vector<int>{n});
    };
    pass.trace = &whole;
    const Tensor all = net(x, of(4), pass.in("read")).states.value();
    pass.trace = &steps;
    LstmnTape tape = net.start(1);
    for (int t = 0; t < 4; ++t) {
      const Tensor step = net.extend(tape, x.row_range(t, t + 1).clone(), of(1),
                                     pass.in("read"))
                              .states.value();
      EXPECT_TRUE(same_bits(step.span(), all.row_range(t, t + 1).span()));
      const Record& one = *steps.of("read").at(t);
      EXPECT_EQ(one.about().step, t);
      EXPECT_EQ(one.keys(0), t + 1);
      const Tensor map = whole.of("read").at(0)->weights(0, 0);
      EXPECT_TRUE(same_bits(one.weights(0, 0).span(),
                            map.span().subspan(t * 4, t + 1)));
    }
  }
}

}  // namespace
}  // namespace fovea
