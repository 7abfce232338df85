#include "fovea/encode/lstmn.h"

#include <gtest/gtest.h>

#include "fovea/attend/lstmn.h"
#include "fovea/attend/trace.h"
#include "fovea/base/check.h"
#include "support/compare.h"
#include "support/random.h"

namespace fovea {
namespace {

using testing::random_tensor;
using testing::same_bits;

const Segments kOf = Segments::from_lengths(std::vector<int>{4, 1, 0, 3});

EncoderConfig config_of(int layers) {
  return {.kind = "lstmn", .layers = layers, .width = 6, .dropout = 0.0f};
}

TEST(LstmnEncoder, IsTheLstmnOfAttendWithoutASummary) {
  const auto encoder = make_encoder(config_of(1), 3, RandomKey(1));
  const Lstmn lstmn({.width = 6, .summary = false}, 3,
                    RandomKey(1).with("layer").with(0));
  const Tensor x = random_tensor({kOf.total(), 3}, 2);
  const Encoded out = (*encoder)(x, kOf, {});
  const LstmnReading expected = lstmn(x, kOf, {});
  EXPECT_TRUE(
      same_bits(out.states.value().span(), expected.states.value().span()));
}

TEST(LstmnEncoder, GivesTheLastStatesAndCellsOfEachSequence) {
  const auto encoder = make_encoder(config_of(2), 3, RandomKey(1));
  const Encoded out = (*encoder)(random_tensor({kOf.total(), 3}, 2), kOf, {});
  ASSERT_EQ(out.last.size(), 2u);
  ASSERT_EQ(out.cells.size(), 2u);
  EXPECT_EQ(encoder->widths().last, std::vector<int>({6, 6}));
  EXPECT_TRUE(encoder->widths().cells);
  for (int b = 0; b < kOf.count(); ++b) {
    const Tensor last = out.last[1].value().row_range(b, b + 1);
    const Tensor expected = kOf.length(b) > 0 ? out.states.value().row_range(
                                                    kOf.end(b) - 1, kOf.end(b))
                                              : Tensor::zeros({1, 6});
    EXPECT_TRUE(same_bits(last.span(), expected.span()));
  }
}

TEST(LstmnEncoder, RecordsWhatEachWordLooksAt) {
  const auto encoder = make_encoder(config_of(1), 3, RandomKey(1));
  Trace trace;
  Pass pass;
  pass.trace = &trace;
  (*encoder)(random_tensor({kOf.total(), 3}, 2), kOf, pass.in("encoder"));
  ASSERT_EQ(trace.records().size(), 1u);
  EXPECT_EQ(trace.records()[0].about().name, "encoder.layer.0");
}

TEST(LstmnEncoder, TakesItsOptionsAndNoOthers) {
  EncoderConfig config = config_of(1);
  config.options = {"hidden=2", "summary=true"};
  auto encoder = make_encoder(config, 3, RandomKey(1));
  bool summary = false;
  const Params params(*encoder);
  for (const Params::Parameter& p : params.parameters()) {
    summary = summary || p.name == "layer.0.summary";
  }
  EXPECT_TRUE(summary);
  config.options = {"fusion=true"};
  EXPECT_THROW(make_encoder(config, 3, RandomKey(1)), Error);
}

}  // namespace
}  // namespace fovea
