// What a loop over steps collects of its attention.
#include "fovea/predict/step_attention.h"

#include <gtest/gtest.h>

#include "fovea/attend/trace.h"
#include "support/compare.h"
#include "support/decoder_case.h"

namespace fovea {
namespace {

using namespace testing;  // NOLINT: the support library

DecoderCase fed(const ComposedConfig& attend) {
  DecoderCase c{.attend = attend};
  c.decoder.kind = "luong";
  return c;
}

// The weights of a record in the order of Weights, one head after another in a
// row.
std::vector<float> numbers_of(const Record& record) {
  std::vector<float> all;
  for (int b = 0; b < record.sequences(); ++b) {
    for (int i = 0; i < record.queries(b); ++i) {
      for (int head : record.heads()) {
        const Tensor w = record.weights(b, head);
        const int keys = record.keys(b);
        all.insert(all.end(), w.data() + i * keys, w.data() + (i + 1) * keys);
      }
    }
  }
  return all;
}

TEST(StepAttention, RecordsAllStepsAsOneMapForEachSequence) {
  for (int heads : {1, 2}) {
    const DecoderCase c = fed({.heads = heads});
    const TinyModel model(c);
    Trace trace;
    Pass pass;
    pass.trace = &trace;
    const Forced forced = model.forced(c, pass, true);
    const auto records = trace.of("decoder.attend");
    ASSERT_EQ(records.size(), 1u);
    for (int b = 0; b < records[0]->sequences(); ++b) {
      EXPECT_EQ(records[0]->queries(b), c.target[b]);
      EXPECT_EQ(records[0]->keys(b), c.source[b]);
    }
    EXPECT_TRUE(same_bits(numbers_of(*records[0]),
                          forced.weights.values.value().span()));
  }
}

TEST(StepAttention, ATraceChangesNothingAndAsksForNoWeights) {
  const DecoderCase c = fed({.score = "additive"});
  const TinyModel model(c);
  Trace trace;
  Pass pass;
  pass.trace = &trace;
  const Forced traced = model.forced(c, pass);
  EXPECT_FALSE(traced.weights.values);
  EXPECT_TRUE(same_bits(traced.hidden.value().span(),
                        model.forced(c).hidden.value().span()));
}

TEST(StepAttention, RecordsStepByStepWhatItRecordsAtOnce) {
  const DecoderCase c = fed({.score = "additive"});
  const TinyModel model(c);
  Trace at_once, by_steps;
  Pass pass;
  pass.trace = &at_once;
  model.forced(c, pass);
  pass.trace = &by_steps;
  const NoGrad inference;
  const Encoded encoded =
      (*model.encoder)(c.source_rows(), c.source_segments(), {});
  const Pass in_decoder = pass.in("decoder");
  State state = model.decoder->start(encoded, in_decoder);
  const Segments of = c.target_segments();
  const std::vector<int> some{1, 4};
  Tensor words({2, c.words});
  for (int i : {0, 1}) {
    words.row_range(i, i + 1).copy_from(
        c.target_rows().row_range(of.begin(some[i]), of.begin(some[i]) + 1));
  }
  state.keep(some);
  model.decoder->step(std::move(state), words, in_decoder);
  const Record& step = *by_steps.of("decoder.attend").at(0);
  const Record& all = *at_once.of("decoder.attend").at(0);
  for (int i : {0, 1}) {
    const Tensor expected = all.weights(some[i], 0).row_range(0, 1);
    EXPECT_TRUE(close(std::span<const float>(step.weights(i, 0).span()),
                      std::span<const float>(expected.span()), 1e-5));
  }
}

TEST(StepAttention, JoinsTheDrawsOfAllStepsIntoOneChoice) {
  const DecoderCase c = fed({.score = "dot",
                             .select = "hard_reinforce",
                             .options = {"semi-sampling=0"}});
  const TinyModel model(c);
  std::vector<Choice> choices;
  Pass pass{.training = true, .key = RandomKey(5)};
  pass.choices = &choices;
  const Forced forced = model.forced(c, pass, true);
  ASSERT_EQ(choices.size(), 1u);
  const Segments of = c.target_segments();
  EXPECT_EQ(choices[0].name, "decoder.attend");
  EXPECT_TRUE(choices[0].of == of);
  EXPECT_EQ(choices[0].log_probability.shape(), Shape({of.total()}));
  EXPECT_EQ(choices[0].entropy.shape(), Shape({of.total()}));
  for (int b = 0; b < of.count(); ++b) {
    if (c.source[b] != 1) continue;  // no choice: certain
    for (int i = of.begin(b); i < of.end(b); ++i) {
      EXPECT_FLOAT_EQ(choices[0].log_probability.value()[i], 0.0f);
    }
  }
}

TEST(StepAttention, DropsOtherWeightsAtEachStep) {
  for (const char* score : {"dot", "additive"}) {  // fused, and not
    DecoderCase c = fed({.score = score, .dropout = 0.5f});
    c.source = {1};
    c.target = {12};
    c.decoder.kind = "rnnsearch";
    const TinyModel model(c);
    // With one key a weight is 0 or 2: the context is one of two vectors.
    const Pass pass{.training = true, .key = RandomKey(6)};
    const Encoded encoded =
        (*model.encoder)(c.source_rows(), c.source_segments(), {});
    Composed attention(c.attend, {.query = 6, .key = 8}, RandomKey(1));
    const Memory memory =
        attention.remember({.keys = encoded.states, .of = encoded.of}, pass);
    const Segments of = c.target_segments();
    StepAttention steps(attention, memory, of, pass, false);
    std::vector<float> firsts;
    for (int t = 0; t < 12; ++t) {
      firsts.push_back(steps.look(Tensor::full({1, 6}, 1.0f), t).value()[0]);
    }
    const auto changed =
        std::ranges::count_if(firsts, [&](float x) { return x != firsts[0]; });
    EXPECT_GT(changed, 0) << score;
    EXPECT_LT(changed, 12) << score;
  }
}

}  // namespace
}  // namespace fovea
