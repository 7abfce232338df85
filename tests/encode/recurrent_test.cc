#include "fovea/encode/recurrent.h"

#include <gtest/gtest.h>

#include "fovea/autograd/elementwise.h"
#include "fovea/autograd/gather.h"
#include "fovea/base/check.h"
#include "support/check_layer.h"
#include "support/compare.h"
#include "support/random.h"

namespace fovea {
namespace {

using namespace testing;  // NOLINT: the support library

constexpr int kIn = 3;

EncoderConfig config_of(int layers, CellKind cell = CellKind::kGru) {
  return {.kind = "recurrent",
          .layers = layers,
          .width = 8,
          .dropout = 0.0f,
          .cell = cell};
}

std::unique_ptr<Encoder> random_encoder(const EncoderConfig& config) {
  auto encoder = make_encoder(config, kIn, RandomKey(1));
  randomise(Params(*encoder), 7, 0.5f);
  return encoder;
}

// A cell of the same kind with the parameters of one of the encoder's.
Cell cell_of(Encoder& encoder, const CellConfig& config,
             const std::string& name) {
  Cell cell(config, RandomKey(2));
  const Params own(cell), all(encoder);
  for (const Params::Parameter& p : own.parameters()) {
    for (const Params::Parameter& q : all.parameters()) {
      if (q.name == name + "." + p.name) *p.value = *q.value;
    }
  }
  return cell;
}

const Segments kOf = Segments::from_lengths(std::vector<int>{4, 1, 0, 3});

Tensor source() { return random_tensor({kOf.total(), kIn}, 9); }

std::span<const float> numbers(const Var& x) { return x.value().span(); }

TEST(RecurrentEncoder, BothWaysIsTwoCellsSideBySide) {
  auto encoder = random_encoder(config_of(1));
  const CellConfig half{.kind = CellKind::kGru, .in = kIn, .width = 4};
  const Encoded out = (*encoder)(source(), kOf, {});
  const RecurrentStates ahead =
      cell_of(*encoder, half, "layer.0.forward")({.x = source(), .of = kOf});
  const RecurrentStates back = cell_of(*encoder, half, "layer.0.backward")(
      {.x = source(), .of = kOf, .reverse = true});
  EXPECT_TRUE(same_bits(numbers(out.states),
                        numbers(concat_columns({ahead.states, back.states}))));
  EXPECT_TRUE(same_bits(numbers(out.backward_first), numbers(back.last)));
  EXPECT_TRUE(same_bits(numbers(out.last[0]),
                        numbers(concat_columns({ahead.last, back.last}))));
  EXPECT_TRUE(out.cells.empty());
}

// SPEC D6: the bottom layer reads both ways, the others one way; a decoder
// begins with the backward part of the first and the others' own.
TEST(RecurrentEncoder, WithABottomLayerAloneBothWaysIsAStackOfLayers) {
  EncoderConfig config = config_of(2, CellKind::kLstm);
  config.bottom_only = true;
  auto encoder = random_encoder(config);
  const Encoded out = (*encoder)(source(), kOf, {});
  const CellConfig half{.kind = CellKind::kLstm, .in = kIn, .width = 8};
  const CellConfig whole{.kind = CellKind::kLstm, .in = 16, .width = 8};
  const RecurrentStates ahead =
      cell_of(*encoder, half, "layer.0.forward")({.x = source(), .of = kOf});
  const RecurrentStates back = cell_of(*encoder, half, "layer.0.backward")(
      {.x = source(), .of = kOf, .reverse = true});
  const RecurrentStates top = cell_of(*encoder, whole, "layer.1.forward")(
      {.x = concat_columns({ahead.states, back.states}), .of = kOf});
  EXPECT_TRUE(same_bits(numbers(out.states), numbers(top.states)));
  ASSERT_EQ(out.last.size(), 2u);
  EXPECT_TRUE(same_bits(numbers(out.last[0]), numbers(back.last)));
  EXPECT_TRUE(same_bits(numbers(out.cells[0]), numbers(back.last_cell)));
  EXPECT_TRUE(same_bits(numbers(out.last[1]), numbers(top.last)));
  EXPECT_FALSE(out.backward_first);
  EXPECT_EQ(encoder->widths().last, (std::vector<int>{8, 8}));
  config.layers = 1;
  EXPECT_EQ(random_encoder(config)->width(), 16);
}

TEST(RecurrentEncoder, ResidualsAddWhatALayerReads) {
  EncoderConfig config = config_of(2);
  const Encoded plain = (*random_encoder(config))(source(), kOf, {});
  config.residual_from = 2;
  const Encoded residual = (*random_encoder(config))(source(), kOf, {});
  config.layers = 1;
  config.residual_from = 0;
  const Encoded below = (*random_encoder(config))(source(), kOf, {});
  EXPECT_TRUE(close(numbers(residual.states),
                    numbers(plain.states + below.states), 1e-6));
}

TEST(RecurrentEncoder, ReverseReadsFromTheEnd) {
  EncoderConfig config = config_of(1);
  config.bidirectional = false;
  config.reverse = true;
  auto encoder = random_encoder(config);
  const CellConfig cell{.kind = CellKind::kGru, .in = kIn, .width = 8};
  const RecurrentStates expected = cell_of(*encoder, cell, "layer.0.forward")(
      {.x = source(), .of = kOf, .reverse = true});
  const Encoded out = (*encoder)(source(), kOf, {});
  EXPECT_TRUE(same_bits(numbers(out.states), numbers(expected.states)));
  EXPECT_TRUE(same_bits(numbers(out.last[0]), numbers(expected.last)));
}

TEST(RecurrentEncoder, TellsTheWidthsOfWhatItGives) {
  for (bool bidirectional : {false, true}) {
    for (bool bottom_only : {false, true}) {
      if (bottom_only && !bidirectional) continue;
      for (CellKind cell : {CellKind::kGruAfter, CellKind::kLstm}) {
        EncoderConfig config = config_of(3, cell);
        config.bidirectional = bidirectional;
        config.bottom_only = bottom_only;
        const auto encoder = random_encoder(config);
        const Encoded out = (*encoder)(source(), kOf, {});
        const EncodedWidths widths = encoder->widths();
        EXPECT_EQ(out.states.dim(1), widths.states);
        ASSERT_EQ(out.last.size(), widths.last.size());
        for (size_t i = 0; i < out.last.size(); ++i) {
          EXPECT_EQ(out.last[i].shape(), Shape({kOf.count(), widths.last[i]}));
        }
        EXPECT_EQ(out.cells.size(), widths.cells ? 3u : 0u);
        EXPECT_EQ(out.backward_first ? out.backward_first.dim(1) : 0,
                  widths.backward_first);
      }
    }
  }
}

TEST(RecurrentEncoder, ASequenceGivesTheSameBitsAloneAndInABatch) {
  const NoGrad inference;
  auto encoder = random_encoder(config_of(2, CellKind::kLstm));
  Params(*encoder).prepare(Precision::kFloat32);
  const Encoded all = (*encoder)(source(), kOf, {});
  for (int b = 0; b < kOf.count(); ++b) {
    const Encoded one =
        (*encoder)(source().row_range(kOf.begin(b), kOf.end(b)).clone(),
                   Segments::from_lengths(std::vector<int>{kOf.length(b)}), {});
    EXPECT_TRUE(same_bits(
        one.states.value().span(),
        all.states.value().row_range(kOf.begin(b), kOf.end(b)).span()));
    EXPECT_TRUE(same_bits(one.last[1].value().span(),
                          all.last[1].value().row_range(b, b + 1).span()));
  }
}

TEST(RecurrentEncoder, DropsBetweenLayersInTrainingOnly) {
  EncoderConfig config = config_of(2);
  config.dropout = 0.5f;
  const auto encoder = random_encoder(config);
  const Pass training{.training = true, .key = RandomKey(3)};
  const Encoded dropped = (*encoder)(source(), kOf, training);
  const Encoded whole = (*encoder)(source(), kOf, {});
  EXPECT_FALSE(same_bits(numbers(dropped.states), numbers(whole.states)));
  EXPECT_TRUE(same_bits(numbers(dropped.last[0]), numbers(whole.last[0])));
}

TEST(RecurrentEncoder, NamesWhatDoesNotFit) {
  const auto error_of = [](const EncoderConfig& config) -> std::string {
    try {
      make_encoder(config, kIn, RandomKey(1));
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::kUsage);
      return e.what();
    }
    return "";
  };
  EncoderConfig config = config_of(0);
  EXPECT_NE(error_of(config).find("encode.layers is 0"), std::string::npos);
  config = config_of(1);
  config.width = 7;
  EXPECT_NE(error_of(config).find("even"), std::string::npos);
  config = config_of(1);
  config.residual_from = 1;
  EXPECT_NE(error_of(config).find("residual-from is 1"), std::string::npos);
  config = config_of(2);
  config.bidirectional = false;
  config.bottom_only = true;
  EXPECT_NE(error_of(config).find("bottom-only"), std::string::npos);
  config = config_of(1);
  config.reverse = true;
  EXPECT_NE(error_of(config).find("reverse"), std::string::npos);
}

}  // namespace
}  // namespace fovea
