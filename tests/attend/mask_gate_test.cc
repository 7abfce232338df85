#include "fovea/attend/mask_gate.h"

#include <cmath>

#include "fovea/attend/impose.h"
#include "fovea/attend/trace.h"
#include "fovea/base/check.h"
#include "support/check_layer.h"
#include "support/compare.h"
#include "support/random.h"
#include "support/twin_conv.h"
#include "support/twin_gemm.h"
#include "support/twin_image.h"
#include "support/twin_softmax.h"

namespace fovea {
namespace {

using testing::close;
using testing::Doubles;
using testing::random_tensor;
using testing::same_bits;

Pass training() {
  Pass pass;
  pass.training = true;
  return pass;
}

// x [2,4,6,3], g on a grid of its own with 2 channels, 2 hidden ones.
struct TwinGate {
  GateMode mode = GateMode::kSigmoid;
  int g_height = 2, g_width = 3;
  bool transform = true;

  // Inputs: x, g, W_x, W_g, b_g, psi, b_psi, out, b_out, gain, bias.
  Doubles alpha(const std::vector<Doubles>& in) const {
    const testing::TwinConv2d conv{2, 4, 6, 3, 2, 2, 2, 2, 0, 0};
    Doubles fine = testing::twin_conv2d(conv, in[0], in[2], Doubles(2, 0.0));
    const Doubles coarse = testing::twin_resample(
        {2, g_height, g_width, 2, 2, 3, false},
        testing::twin_linear({2 * g_height * g_width, 2, 2},
                             {in[1], in[3], in[4]}));
    for (size_t i = 0; i < fine.size(); ++i) {
      fine[i] = std::max(0.0, fine[i] + coarse[i]);
    }
    Doubles q = testing::twin_linear({12, 2, 1}, {fine, in[5], in[6]});
    if (mode == GateMode::kSoftmax) {
      q = testing::twin_softmax(q, {6, 6});
    } else {
      for (double& v : q) v = 1 / (1 + std::exp(-v));
    }
    return testing::twin_resample({2, 2, 3, 1, 4, 6, false}, q);
  }
  Doubles operator()(const std::vector<Doubles>& in) const {
    const Doubles mask = alpha(in);
    Doubles gated = in[0];
    for (size_t i = 0; i < gated.size(); ++i) gated[i] *= mask[i / 3];
    if (!transform) return gated;
    return testing::twin_batch_norm(
        testing::twin_linear({48, 3, 3}, {gated, in[7], in[8]}), in[9], in[10],
        1e-5);
  }
};

std::vector<Tensor> images(const TwinGate& twin) {
  return {random_tensor({2, 4, 6, 3}, 1),
          random_tensor({2, twin.g_height, twin.g_width, 2}, 2)};
}

constexpr GateSizes kSizes{3, 2};
// A bias before a batch norm has a gradient of 0 but for rounding.
constexpr double kFloor = 0.5;

void check_gate(const TwinGate& twin) {
  MaskGate gate({.hidden = 2, .mode = twin.mode, .transform = twin.transform},
                kSizes, RandomKey(1));
  testing::check_layer(
      Params(gate),
      [&](const auto& in) { return gate(in[0], in[1], training()).features; },
      twin, images(twin), 1e-5, kFloor);
}

TEST(AttentionGate, MatchesTheTwinInBothModesWithItsGradients) {
  check_gate({});
  check_gate({.mode = GateMode::kSoftmax});
  check_gate({.transform = false});
}

TEST(AttentionGate, BringsASignalOfAnotherGridToItsOwn) {
  check_gate({.g_height = 1, .g_width = 1});
  check_gate({.g_height = 4, .g_width = 6});
}

// SPEC B12: x 2, g 1, W_x .5, W_g 1, psi 2, b_psi -3.
TEST(AttentionGate, GivesTheNumbersOfTheSpecification) {
  MaskGate gate({.hidden = 1, .stride = 1, .transform = false}, {1, 1},
                RandomKey(1));
  const Params params(gate);
  const float values[] = {0.5f, 1, 0, 2, -3};
  for (size_t i = 0; i < 5; ++i) {
    params.parameters().at(i).value->value().fill(values[i]);
  }
  const Masked out =
      gate(Tensor::full({1, 1, 1, 1}, 2), Tensor::full({1, 1, 1, 1}, 1), {});
  EXPECT_NEAR(out.mask.value().item(), 0.7310586, 1e-6);
  EXPECT_NEAR(out.features.value().item(), 1.4621172, 1e-6);
}

TEST(AttentionGate, LeavesOnlyTheTransformWhenItIsOpen) {
  MaskGate gate({.hidden = 2}, kSizes, RandomKey(1));
  const Params params(gate);
  params.parameters().at(4).value->value().fill(20);  // b_psi
  const std::vector<Tensor> in = images({});
  const Masked out = gate(in[0], in[1], training());
  std::vector<Doubles> weights;
  for (const auto& p : params.parameters()) {
    weights.push_back(testing::to_double(p.value->value()));
  }
  const Doubles truth = testing::twin_batch_norm(
      testing::twin_linear({48, 3, 3},
                           {testing::to_double(in[0]), weights[5], weights[6]}),
      weights[7], weights[8], 1e-5);
  EXPECT_TRUE(close(out.features.value(), truth, 1e-5));
}

TEST(AttentionGate, HasAMaskBetweenZeroAndOneAndStartsByHe) {
  MaskGate gate({.hidden = 64}, {8, 2}, RandomKey(1));
  const Params params(gate);
  const Tensor w = params.parameters().at(0).value->value();  // [64,2,2,8]
  double square = 0;
  for (float v : w.span()) square += double{v} * v;
  EXPECT_NEAR(square / w.size(), 2.0 / 32, 0.006);
  const Masked out =
      gate(random_tensor({2, 6, 6, 8}, 1), random_tensor({2, 3, 3, 2}, 2), {});
  EXPECT_EQ(out.mask.shape(), Shape({2, 6, 6, 1}));
  for (float v : out.mask.value().span()) {
    EXPECT_GT(v, 0.0f);
    EXPECT_LT(v, 1.0f);
  }
}

TEST(AttentionGate, SharesOneUnitOfWeightInSoftmaxMode) {
  MaskGate gate({.stride = 1, .mode = GateMode::kSoftmax}, kSizes,
                RandomKey(1));
  const Tensor mask =
      gate(random_tensor({1, 4, 6, 3}, 1), random_tensor({1, 4, 6, 2}, 2), {})
          .mask.value();
  double sum = 0;
  for (float v : mask.span()) sum += v;
  EXPECT_NEAR(sum, 1, 1e-5);
}

TEST(AttentionGate, RecordsItsMaskAndTakesAnother) {
  MaskGate gate({.hidden = 2, .transform = false}, kSizes, RandomKey(1));
  testing::randomise(Params(gate), 9);
  Trace trace;
  Impose impose;
  Pass pass;
  pass.trace = &trace;
  const std::vector<Tensor> in = images({});
  const Masked own = gate(in[0], in[1], pass.in("skip"));
  const Record& record = *trace.of("skip").at(0);
  EXPECT_EQ(record.about().kind, "mask");
  EXPECT_EQ(record.keys(1), 24);
  EXPECT_TRUE(same_bits(record.weights(1, 0).span(),
                        own.mask.value().span().subspan(24, 24)));
  impose.weights("skip", [](const Var& w, const Pairs&) -> Var {
    return Tensor::full(w.shape(), 1);
  });
  pass.impose = &impose;
  EXPECT_TRUE(
      same_bits(gate(in[0], in[1], pass.in("skip")).features.value().span(),
                in[0].span()));
  impose.head_mask("skip", {0.5f});
  EXPECT_EQ(gate(in[0], in[1], pass.in("skip")).features.value()[0],
            in[0][0] / 2);
}

TEST(AttentionGate, AnImageAgreesAloneAndInABatchOutsideOfTraining) {
  MaskGate gate({.hidden = 2}, kSizes, RandomKey(1));
  testing::randomise(Params(gate), 9);
  const std::vector<Tensor> in = images({});
  const Tensor all = gate(in[0], in[1], {}).features.value();
  const Tensor alone =
      gate(in[0].row_range(1, 2).clone(), in[1].row_range(1, 2).clone(), {})
          .features.value();
  EXPECT_TRUE(close(std::span<const float>(all.row_range(1, 2).span()),
                    std::span<const float>(alone.span()), 1e-6, 1.0));
}

TEST(AttentionGate, UpdatesItsRunningStatisticsInTraining) {
  MaskGate gate({}, kSizes, RandomKey(1));
  std::vector<Update> updates;
  Pass pass = training();
  pass.updates = &updates;
  const std::vector<Tensor> in = images({});
  gate(in[0], in[1], pass);
  EXPECT_EQ(updates.size(), 2u);
}

TEST(AttentionGates, JoinTwoGatesByAConvolutionANormAndARelu) {
  const TwinGate twin;
  MaskGates gates({.hidden = 2}, kSizes, RandomKey(1));
  // Inputs: x, g, nine of each gate, then W, b, gain and bias of the last.
  const auto joined = [&](const std::vector<Doubles>& in) {
    Doubles both;
    std::vector<Doubles> parts;
    for (int i = 0; i < 2; ++i) {
      std::vector<Doubles> of_gate = {in[0], in[1]};
      of_gate.insert(of_gate.end(), in.begin() + 2 + 9 * i,
                     in.begin() + 11 + 9 * i);
      parts.push_back(twin(of_gate));
    }
    for (int row = 0; row < 48; ++row) {
      for (const Doubles& part : parts) {
        both.insert(both.end(), part.begin() + row * 3,
                    part.begin() + row * 3 + 3);
      }
    }
    Doubles y = testing::twin_batch_norm(
        testing::twin_linear({48, 6, 3}, {both, in[20], in[21]}), in[22],
        in[23], 1e-5);
    for (double& v : y) v = std::max(0.0, v);
    return y;
  };
  testing::check_layer(
      Params(gates),
      [&](const auto& in) { return gates(in[0], in[1], training()); }, joined,
      images(twin), 2e-5, kFloor);
}

TEST(AttentionGates, RecordAMapForEachGate) {
  const MaskGates gates({.gates = 3}, kSizes, RandomKey(1));
  Trace trace;
  Pass pass;
  pass.trace = &trace;
  const std::vector<Tensor> in = images({});
  gates(in[0], in[1], pass.in("skip"));
  EXPECT_EQ(trace.records().size(), 3u);
  EXPECT_EQ(trace.of("skip.gate.2").size(), 1u);
}

TEST(AttentionGate, RefusesWhatDoesNotFit) {
  EXPECT_THROW(MaskGate({.stride = 0}, kSizes, RandomKey(1)), Error);
  EXPECT_THROW(MaskGate({.hidden = -1}, kSizes, RandomKey(1)), Error);
  EXPECT_THROW(MaskGates({.gates = 0}, kSizes, RandomKey(1)), Error);
  const MaskGate gate({}, kSizes, RandomKey(1));
  EXPECT_THROW(
      gate(random_tensor({2, 4, 6, 3}, 1), random_tensor({1, 2, 3, 2}, 2), {}),
      Error);
  EXPECT_THROW(
      gate(random_tensor({6, 3}, 1), random_tensor({1, 2, 3, 2}, 2), {}),
      Error);
}

}  // namespace
}  // namespace fovea
