#include "fovea/explain/explanation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "fovea/base/check.h"
#include "fovea/decode/translator.h"
#include "fovea/explain/heatmap.h"
#include "support/compare.h"
#include "support/model_folder.h"
#include "support/temp_folder.h"
#include "support/tiny_classifiers.h"
#include "support/tiny_models.h"
#include "support/translator_folder.h"

namespace fovea {
namespace {

using namespace fovea::testing;
using nlohmann::json;

const char* const kSource = "the cat sees two birds !";

// A model of every kind.
class ExplanationOf : public ::testing::TestWithParam<TinyModel> {
 protected:
  ExplanationOf()
      : translator_(Translator::load({write_model_folder(
            folder_.file("m"), {.kind = GetParam().name})})) {}

  Translation translate(bool weights = false) const {
    TranslateOptions options;
    options.all.search = {.beam_size = 3, .max_length = 9};
    options.all.search.want_weights = weights && translator_.has_attention();
    return translator_.translate({{{kSource}}}, options)[0][0];
  }
  Explanation explain(bool vectors = false) const {
    return explain_translation(translator_.model(), kSource, translate(),
                               {.name = "m", .vectors = vectors});
  }

  const TempFolder folder_;
  const Translator translator_;
};

TEST_P(ExplanationOf, HasWeightsForAllTokensInEveryLayer) {
  const Explanation e = explain();
  ASSERT_EQ(e.source.tokens.size(), e.source.words.size());
  EXPECT_EQ(e.source.words.back(), -1);
  EXPECT_EQ(e.read.size(), e.target.tokens.size());
  EXPECT_EQ(e.log_probabilities.size(), e.target.tokens.size());
  EXPECT_EQ(e.alternatives.size(), e.target.tokens.size());
  for (const ExplainedLayer& layer : e.layers) {
    for (const Tensor& weights : layer.weights) {
      EXPECT_EQ(weights.dim(0), std::ssize(e.labels_of(layer.queries)))
          << layer.name;
      EXPECT_EQ(weights.cols(), std::ssize(e.labels_of(layer.keys)))
          << layer.name;
    }
    EXPECT_EQ(layer.statistics.size(), layer.weights.size());
    EXPECT_EQ(std::ssize(layer.visible), layer.weights.front().size());
  }
}

// Attention of forced decoding equals that of the beam hypothesis.
TEST_P(ExplanationOf, ShowsTheAttentionOfTheSearch) {
  if (!translator_.has_attention()) {
    EXPECT_TRUE(explain().alignment_layer.empty());
    return;
  }
  const Translation t = translate(true);
  const Explanation e = explain_translation(translator_.model(), kSource, t);
  const auto& searched = t.parts.front().weights;
  ASSERT_GE(e.alignment.size(), std::ssize(searched));
  EXPECT_TRUE(close(e.alignment.span().first(searched.size()), searched, 1e-4));
  const auto& said = t.parts.front().log_probabilities;
  EXPECT_TRUE(
      close(std::span(e.log_probabilities).first(said.size()), said, 1e-3));
}

TEST_P(ExplanationOf, RanksAlternativesAndNamesWhatWasWritten) {
  for (const std::vector<Likely>& few : explain().alternatives) {
    ASSERT_EQ(few.size(), 5u);
    for (size_t i = 1; i < few.size(); ++i) {
      EXPECT_GE(few[i - 1].probability, few[i].probability);
    }
  }
}

TEST_P(ExplanationOf, IsADocumentWithTheSameNumbers) {
  const Explanation e = explain(true);
  const json d = json::parse(explanation_json(e));
  EXPECT_EQ(d["format"], 1);
  EXPECT_EQ(d["caution"], kUntestedCaution);
  EXPECT_EQ(d["source"]["tokens"].size(), e.source.tokens.size());
  ASSERT_EQ(d["layers"].size(), e.layers.size());
  for (size_t l = 0; l < e.layers.size(); ++l) {
    const Tensor& first = e.layers[l].weights.front();
    const json& rows = d["layers"][l]["weights"][0];
    ASSERT_EQ(std::ssize(rows), first.dim(0));
    for (int64_t i = 0; i < first.size(); ++i) {
      const double shown = rows[i / first.cols()][i % first.cols()];
      EXPECT_NEAR(shown, first[i], 1e-6);
    }
  }
  EXPECT_EQ(d["alignment"].is_null(), e.alignment_layer.empty());
}

// SPEC E6: the vectors give the weights that are shown.
TEST_P(ExplanationOf, ShowsVectorsWhoseProductsGiveTheWeights) {
  for (const ExplainedLayer& layer : explain(true).layers) {
    if (!layer.vectors) continue;
    for (size_t h = 0; h < layer.weights.size(); ++h) {
      const Tensor& q = layer.vectors->query[h];
      const Tensor& k = layer.vectors->key[h];
      const Tensor& weights = layer.weights[h];
      ASSERT_EQ(q.dim(0), weights.dim(0)) << layer.name;
      ASSERT_EQ(k.dim(0), weights.cols()) << layer.name;
      for (int64_t i = 0; i < q.dim(0); ++i) {
        std::vector<double> expected;
        double sum = 0;
        for (int64_t j = 0; j < k.dim(0); ++j) {
          double score = 0;
          for (int64_t d = 0; d < k.cols(); ++d) {
            score += double{q[i * q.cols() + d]} * k[j * k.cols() + d];
          }
          expected.push_back(layer.visible[i * weights.cols() + j]
                                 ? std::exp(layer.vectors->scale * score)
                                 : 0.0);
          sum += expected.back();
        }
        for (int64_t j = 0; j < k.dim(0); ++j) {
          EXPECT_NEAR(weights[i * weights.cols() + j], expected[j] / sum, 1e-5)
              << layer.name;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, ExplanationOf, ::testing::ValuesIn(tiny_models()),
                         [](const auto& given) { return given.param.name; });

class ExplanationTest : public ::testing::Test {
 protected:
  const TempFolder folder_;
};

TEST_F(ExplanationTest, OfATransformerHasVectorsAndRollout) {
  const Translator translator =
      Translator::load({write_model_folder(folder_.file("m"))});
  const Translation t =
      translator.score({{{kSource, "two birds see the cat"}}}).front();
  const Explanation e =
      explain_translation(translator.model(), kSource, t, {.vectors = true});
  EXPECT_EQ(e.target.text, "two birds see the cat");
  for (const ExplainedLayer& layer : e.layers) {
    ASSERT_TRUE(layer.vectors.has_value()) << layer.name;
  }
  ASSERT_EQ(e.rollouts.size(), 2u);
  EXPECT_EQ(e.rollouts[0].name, "encoder");
  const Tensor& r = e.rollouts[1].rollout;
  for (int64_t i = 0; i < r.dim(0); ++i) {
    const auto row = r.span().subspan(i * r.cols(), r.cols());
    EXPECT_NEAR(std::accumulate(row.begin(), row.end(), 0.0), 1, 1e-5);
  }
  // What a decoder has not read yet is hidden.
  const ExplainedLayer* self = nullptr;
  for (const ExplainedLayer& layer : e.layers) {
    if (layer.keys == Tokens::kRead) self = &layer;
  }
  ASSERT_NE(self, nullptr);
  EXPECT_TRUE(self->visible[0]);
  EXPECT_FALSE(self->visible[1]);
}

TEST_F(ExplanationTest, NumbersSentences) {
  const Translator translator =
      Translator::load({write_model_folder(folder_.file("m"))});
  const Translation t =
      translator.score({{{"The cat sees ! The birds see", "The cat"}}}).front();
  const Explanation e = explain_translation(translator.model(),
                                            "The cat sees ! The birds see", t);
  ASSERT_EQ(e.source.sentences.size(), e.source.tokens.size());
  for (size_t i = 0; i + 1 < e.source.tokens.size(); ++i) {
    EXPECT_EQ(e.source.sentences[i], e.source.words[i] < 4 ? 0 : 1) << i;
  }
  EXPECT_EQ(e.source.sentences.back(), 1);
  EXPECT_EQ(e.target.sentences.back(), 0);
}

TEST_F(ExplanationTest, OfADecoderOfStepsHasVectors) {
  const Translator translator = Translator::load(
      {write_model_folder(folder_.file("m"), {.kind = "luong"})});
  const Translation t =
      translator.score({{{kSource, "two birds see the cat"}}}).front();
  const Explanation e =
      explain_translation(translator.model(), kSource, t, {.vectors = true});
  ASSERT_EQ(e.layers.size(), 1u);
  ASSERT_TRUE(e.layers[0].vectors.has_value());
  EXPECT_EQ(e.layers[0].vectors->query[0].dim(0), std::ssize(e.target.tokens));
}

TEST_F(ExplanationTest, OfAClassifierHasLabelsAndItsPool) {
  for (const TinyClassifier& tiny : tiny_classifiers()) {
    ClassifierModel model{{}, tiny_tokenizer(), {"a", "b", "c"}, nullptr};
    model.model = std::make_unique<Classifier>(tiny.config, RandomKey(3));
    Params(*model.model).prepare(Precision::kFloat32);
    const Explanation e = explain_label(model, model.text.decode({{4, 5, 6}}));
    ASSERT_EQ(e.labels.size(), 3u);
    EXPECT_GE(e.labels[0].probability, e.labels[1].probability);
    EXPECT_NEAR(e.labels[0].probability + e.labels[1].probability +
                    e.labels[2].probability,
                1, 1e-5);
    const bool attends = tiny.config.classes.pool == "attention" ||
                         tiny.config.classes.pool == "query";
    const bool has_pool = std::ranges::any_of(
        e.layers, [](auto& l) { return l.name == Classifier::kPoolLayer; });
    EXPECT_EQ(has_pool, attends) << tiny.name;
    const json d = json::parse(explanation_json(e));
    EXPECT_TRUE(d["target"].is_null());
    EXPECT_EQ(d["labels"].size(), 3u);
  }
}

TEST_F(ExplanationTest, OfALongTextSaysThatTheFlowIsLeftOut) {
  const Translator translator =
      Translator::load({write_model_folder(folder_.file("m"))});
  std::string words;
  for (int i = 0; i < 80; ++i) words += "cat ";
  const Translation t = translator.score({{{words, "two birds"}}}).front();
  const Explanation e = explain_translation(translator.model(), words, t);
  ASSERT_FALSE(e.rollouts.empty());
  EXPECT_EQ(e.rollouts[0].flow.size(), 0);
  EXPECT_NE(e.rollouts[0].note.find("64 at most"), std::string::npos);
  const json d = json::parse(explanation_json(e));
  EXPECT_TRUE(d["rollout"][0]["flow"].is_null());
  EXPECT_EQ(d["rollout"][0]["note"], e.rollouts[0].note);
}

TEST_F(ExplanationTest, OfABlankTextIsRefused) {
  const Translator translator =
      Translator::load({write_model_folder(folder_.file("m"))});
  EXPECT_THROW(explain_translation(translator.model(), " ", {}), Error);
}

}  // namespace
}  // namespace fovea
