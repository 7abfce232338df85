#include "fovea/decode/forced_attention.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "fovea/decode/force.h"
#include "fovea/decode/search_all.h"
#include "support/check_layer.h"
#include "support/compare.h"
#include "support/tiny_models.h"

namespace fovea {
namespace {

using namespace fovea::testing;

class ForcedAttention : public ::testing::TestWithParam<TinyModel> {
 protected:
  ForcedAttention() : model_(GetParam().config, RandomKey(5)), params_(model_) {
    randomise(params_, 11, 0.4f);
    params_.prepare(Precision::kFloat32);
  }

  Seq2Seq model_;
  Params params_;
};

TEST_P(ForcedAttention, HasTheModelsOwnLayerAndItsWeights) {
  const std::vector<CrossAttention> all = cross_attentions(model_);
  ASSERT_EQ(all.empty(), !model_.has_attention());
  if (all.empty()) return;
  const std::string own = model_.alignment_layer();
  EXPECT_TRUE(std::ranges::any_of(
      all, [&](const CrossAttention& one) { return one.layer == own; }));
  const std::vector<std::vector<int>> sources = {{3, 4, 5}, {6}, {}};
  const std::vector<std::vector<int>> targets = {{7, 8}, {9, 10, 11}, {}};
  Trace trace({{.layer = "decoder.*"}});
  record_attention(model_, sources, targets, trace);
  for (const CrossAttention& one : all) {
    const Record& record = *trace.of(one.layer).front();
    ASSERT_EQ(std::ssize(record.heads()), one.heads);
    for (int b = 0; b < 3; ++b) {
      EXPECT_EQ(record.queries(b), std::ssize(targets[b]) + 1);
      EXPECT_EQ(record.keys(b), std::ssize(sources[b]) + 1);
    }
  }
  const Seq2Seq* const models[] = {&model_};
  const auto forced =
      force(models, sources_of(sources), targets, {.want_weights = true});
  for (int b = 0; b < 3; ++b) {
    EXPECT_TRUE(same_bits(forced[b].weights,
                          trace.of(own).front()->mean_weights(b).span()));
  }
}

TEST(CrossAttentions, AreThoseOfAllLayersOfADecoder) {
  const Seq2Seq model(tiny_models().front().config, RandomKey(5));
  EXPECT_EQ(cross_attentions(model),
            (std::vector<CrossAttention>{{"decoder.layer.0.cross", 2},
                                         {"decoder.layer.1.cross", 2}}));
}

INSTANTIATE_TEST_SUITE_P(AllModels, ForcedAttention,
                         ::testing::ValuesIn(tiny_models()), [](const auto& i) {
                           return tiny_model_name(i.param);
                         });

}  // namespace
}  // namespace fovea
