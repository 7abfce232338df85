#include "fovea/decode/choose_attention.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "decode/sharp_model.h"
#include "fovea/base/check.h"
#include "support/temp_folder.h"
#include "support/translator_folder.h"

namespace fovea {
namespace {

using namespace fovea::testing;

const std::vector<ScoreRequest> kPairs = {
    {"the cat sees two birds !", "der Löwe sieht eine Straße"},
    {"", "my dog"},
    {"my small dog is not here", "a cat sees 12 houses !"},
    {"zebra \u0416\U0001f600 !?", "12 houses is watching the green tree ."},
    {"a small dog watches the tree", "der Löwe sees not two birds"}};

class ChooseAttention : public ::testing::Test {
 protected:
  ChooseAttention() : model_(sharp_model(folder_.file("m"))) {}

  // Pairs whose links are not those wanted.
  static LinksError differences(std::vector<WordLinks> wanted) {
    return [wanted](std::span<const WordLinks> links) {
      double wrong = 0;
      for (size_t i = 0; i < wanted.size(); ++i) {
        for (const auto& link : wanted[i]) {
          wrong += std::ranges::count(links[i], link) == 0;
        }
      }
      return wrong;
    };
  }

  const TempFolder folder_;
  const TranslationModel model_;
};

TEST_F(ChooseAttention, FindsTheOneThatLinksCameFrom) {
  for (const AttentionChoice& hidden :
       {AttentionChoice{"decoder.layer.0.cross", {1}, 0},
        AttentionChoice{"decoder.layer.1.cross", {0}, 1},
        AttentionChoice{"decoder.layer.0.cross", {}, 1}}) {
    const auto wanted = attention_links(model_, kPairs, hidden);
    const auto judged = choose_attention(model_, kPairs, differences(wanted));
    EXPECT_EQ(choice_text(judged.front().choice), choice_text(hidden));
    EXPECT_EQ(judged.front().error, 0);
    EXPECT_GT(judged.back().error, 0);
    EXPECT_TRUE(std::ranges::is_sorted(judged, {}, &JudgedAttention::error));
  }
}

TEST_F(ChooseAttention, JudgesTheLinksThatTheChoiceWillGive) {
  const auto first = [](std::span<const WordLinks> links) {
    double sum = 0;
    for (const WordLinks& some : links) {
      for (const auto& [s, t] : some) sum += s + 0.1 * t;
    }
    return sum;
  };
  const AttentionLinksConfig links{.threshold = 0.2f};
  const auto judged = choose_attention(model_, kPairs, first, {.links = links});
  for (const JudgedAttention& one : judged) {
    EXPECT_EQ(one.error,
              first(attention_links(model_, kPairs, one.choice, links)))
        << choice_text(one.choice);
  }
}

TEST_F(ChooseAttention, KeepsToTheTimingAskedFor) {
  const auto none = [](std::span<const WordLinks>) { return 1.0; };
  const auto judged = choose_attention(model_, kPairs, none, {.shift = 1});
  EXPECT_EQ(judged.front().choice,
            (AttentionChoice{"decoder.layer.0.cross", {}, 1}));
  for (const JudgedAttention& one : judged) EXPECT_EQ(one.choice.shift, 1);
}

TEST_F(ChooseAttention, RefusesAModelWithoutAttention) {
  const TranslationModel model = load_translation_model(
      write_model_folder(folder_.file("b"), {.kind = "bottleneck"}),
      Precision::kFloat32);
  EXPECT_THROW(choose_attention(model, kPairs,
                                [](std::span<const WordLinks>) { return 0.0; }),
               Error);
}

}  // namespace
}  // namespace fovea
