#include "fovea/decode/attention_links.h"

#include <gtest/gtest.h>

#include "decode/sharp_model.h"
#include "fovea/base/check.h"
#include "fovea/base/parallel.h"
#include "fovea/decode/forced_attention.h"
#include "support/temp_folder.h"
#include "support/translator_folder.h"

namespace fovea {
namespace {

using namespace fovea::testing;

const std::vector<ScoreRequest> kPairs = {
    {"the cat sees two birds !", "der Löwe sieht eine Straße"},
    {"", "my dog"},
    {"my dog", " \t"},
    {"my small dog", "a"},
    {"zebra \u0416\U0001f600 !?", "12 houses is watching the green tree ."},
    {"a  dog", " der\tLöwe  "}};

class AttentionLinks : public ::testing::Test {
 protected:
  TranslationModel load(const ModelFolderConfig& config = {}) const {
    return load_translation_model(write_model_folder(folder_.file("m"), config),
                                  Precision::kFloat32);
  }
  const TempFolder folder_;
};

TEST_F(AttentionLinks, AreThoseOfScoringForTheModelsOwnLayer) {
  const TranslationModel model = load();
  const Translator translator = Translator::load({folder_.file("m")});
  const auto scored =
      translator.score(kPairs, {.search = {.want_weights = true}});
  const std::string layer = model.model->alignment_layer();
  const auto hard = attention_links(model, kPairs, {layer});
  const auto soft =
      attention_links(model, kPairs, {layer}, {.threshold = 0.3f});
  const auto late = attention_links(model, kPairs, {layer, {}, 1});
  for (size_t i = 0; i < kPairs.size(); ++i) {
    if (i == 1 || i == 2) {
      EXPECT_TRUE(hard[i].empty() && soft[i].empty() && late[i].empty());
      continue;
    }
    const auto words = [&](int shift) {
      return align_words(kPairs[i].source, scored[i], shift);
    };
    EXPECT_EQ(hard[i], strongest_links(words(0)));
    EXPECT_EQ(hard[i].size(), words(0).target.size()) << "a link for each word";
    EXPECT_EQ(soft[i], links_from(words(0), 0.3f));
    EXPECT_EQ(late[i], strongest_links(words(1)));
  }
}

TEST_F(AttentionLinks, DifferBetweenLayersAndHeads) {
  const TranslationModel model = sharp_model(folder_.file("m"));
  const auto links = [&](const AttentionChoice& choice) {
    return attention_links(model, kPairs, choice);
  };
  const std::string first = "decoder.layer.0.cross",
                    last = "decoder.layer.1.cross";
  EXPECT_NE(links({first}), links({last}));
  EXPECT_NE(links({first, {0}}), links({first, {1}}));
  EXPECT_EQ(links({first, {0, 1}}), links({first}));
}

TEST_F(AttentionLinks, DoNotDependOnNeighboursOrThreads) {
  const TranslationModel model = load();
  std::vector<ScoreRequest> many;
  for (int i = 0; i < 40; ++i) many.push_back(kPairs[i % kPairs.size()]);
  const AttentionChoice choice{"decoder.layer.0.cross", {1}};
  int64_t done = 0;
  const ThreadLimit limit(4);
  const auto together =
      attention_links(model, many, choice, {.batch = {.size = 7}},
                      [&](int64_t count) { done = count; });
  EXPECT_EQ(done, 40);
  const ThreadLimit alone(1);
  for (size_t i = 0; i < many.size(); ++i) {
    EXPECT_EQ(attention_links(model, {&many[i], 1}, choice).front(),
              together[i]);
  }
}

TEST_F(AttentionLinks, ComeFromEveryKindOfAttention) {
  for (const char* kind : {"rnnsearch", "luong", "gnmt", "convolution"}) {
    const TranslationModel model = load({.kind = kind});
    for (const CrossAttention& one : cross_attentions(*model.model)) {
      const auto links = attention_links(model, kPairs, {one.layer});
      EXPECT_EQ(links[0].size(), 5u) << kind << " " << one.layer;
    }
  }
}

TEST_F(AttentionLinks, NameWhatAModelDoesNotHave) {
  const TranslationModel model = load();
  const auto error = [&](const AttentionChoice& choice) -> std::string {
    try {
      attention_links(model, kPairs, choice);
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::kUsage);
      return e.what();
    }
    return "no error";
  };
  EXPECT_EQ(error({"x"}),
            "this model has no attention 'x'; there are: "
            "decoder.layer.0.cross decoder.layer.1.cross");
  EXPECT_NE(error({"decoder.layer.0.cross", {7}}).find("head 7"),
            std::string::npos);
  EXPECT_NE(error({"decoder.layer.0.cross", {}, 2}).find("--shift 2"),
            std::string::npos);
  EXPECT_EQ(choice_text({"decoder.layer.0.cross", {1, 3}, 1}),
            "decoder.layer.0.cross, heads 1 3, shift 1");
  EXPECT_EQ(choice_text({"decoder.attend"}),
            "decoder.attend, all heads, shift 0");
}

}  // namespace
}  // namespace fovea
