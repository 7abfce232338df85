#include "fovea/predict/bottleneck.h"

#include <gtest/gtest.h>

#include "support/check_layer.h"
#include "support/compare.h"
#include "support/decoder_case.h"
#include "support/random.h"

namespace fovea {
namespace {

using namespace testing;  // NOLINT: the support library

// Gives one model the parameters of another by their names; returns how many.
int copy_parameters(TinyModel& from, TinyModel& to) {
  const Params source(from), target(to);
  int copied = 0;
  for (const Params::Parameter& p : target.parameters()) {
    for (const Params::Parameter& q : source.parameters()) {
      if (p.name != q.name) continue;
      *p.value = *q.value;
      ++copied;
    }
  }
  return copied;
}

// SPEC D4: RNNsearch whose every context, and whose first state, is the last
// forward state is RNNencdec.
TEST(Bottleneck, AtEveryStepIsRnnsearchThatLooksAtTheLastStateOnly) {
  DecoderCase search{.attend = {.score = "dot",
                                .extent = "last",
                                .value_proj = false,
                                .out_proj = false}};
  search.encoder.bidirectional = false;
  DecoderCase bottleneck = search;
  bottleneck.decoder.kind = "bottleneck";
  bottleneck.decoder.every_step = true;
  TinyModel d4(search), d3(bottleneck);
  const int copied = copy_parameters(d4, d3);
  EXPECT_EQ(copied, std::ssize(Params(d3).parameters()));
  EXPECT_TRUE(close(
      std::span<const float>(d3.forced(bottleneck).hidden.value().span()),
      std::span<const float>(d4.forced(search).hidden.value().span()), 1e-5));
}

TEST(Bottleneck, KnowsTheSourceByItsFirstStateAlone) {
  DecoderCase c;
  c.decoder.kind = "bottleneck";
  c.decoder.layers = 2;
  const TinyModel model(c);
  Encoded encoded = (*model.encoder)(c.source_rows(), c.source_segments(), {});
  const auto hidden = [&] {
    return model.decoder
        ->forced(encoded, c.target_rows(), c.target_segments(), {}, false)
        .hidden.value();
  };
  const Tensor before = hidden();
  encoded.states = random_tensor(encoded.states.shape(), 77);
  EXPECT_TRUE(same_bits(hidden().span(), before.span()));
  encoded.last[0] = random_tensor(encoded.last[0].shape(), 78);
  EXPECT_FALSE(same_bits(hidden().span(), before.span()));
}

TEST(Bottleneck, TakesTheMeanOfStatesWhereAnEncoderHasNoLastOnes) {
  DecoderCase c;
  c.encoder = {
      .kind = "transformer", .layers = 1, .width = 4, .heads = 2, .ffn = 8};
  for (bool every_step : {false, true}) {
    c.decoder.kind = "bottleneck";
    c.decoder.every_step = every_step;
    const TinyModel model(c);
    EXPECT_TRUE(
        close(std::span<const float>(model.forced(c).hidden.value().span()),
              std::span<const float>(step_by_step(model, c).span()), 1e-5));
  }
}

TEST(Bottleneck, HasNoAlignment) {
  DecoderCase c;
  c.decoder.kind = "bottleneck";
  const TinyModel model(c);
  EXPECT_EQ(model.decoder->alignment_layer(), "");
  EXPECT_FALSE(model.forced(c, {}, true).weights.values);
}

}  // namespace
}  // namespace fovea
