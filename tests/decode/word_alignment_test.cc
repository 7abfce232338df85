#include "fovea/decode/word_alignment.h"

#include <gtest/gtest.h>

namespace fovea {
namespace {

// "ab c" from "x yz": tokens a, b, c from x, y, z; rows have the end mark.
Translation example() {
  Translation t;
  t.text = "ab c";
  TranslatedPart part;
  part.source = {{1, 0, 1}, {2, 1, 3}, {3, 3, 4}};
  part.target = {{4, 0, 1}, {5, 1, 2}, {6, 2, 4}};
  part.log_probabilities = {-1, -2, -4, -8};
  part.weights = {0.5f,  0.25f, 0.25f, 0,      //
                  1,     0,     0,     0,      //
                  0.25f, 0.5f,  0,     0.25f,  //
                  0,     0,     0,     1};
  t.parts.push_back(part);
  return t;
}

TEST(WordAlignment, SumsOverSourceTokensAndAveragesTargetTokens) {
  const WordAlignment a = align_words("x yz", example());
  EXPECT_EQ(a.source, (std::vector<TextRange>{{0, 1}, {2, 4}}));
  EXPECT_EQ(a.target, (std::vector<TextRange>{{0, 2}, {3, 4}}));
  ASSERT_EQ(a.links.size(), 4u);
  const float expected[] = {0.75f, 0.25f, 0.25f, 0.5f};
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(a.links[i].target, static_cast<int>(i / 2));
    EXPECT_EQ(a.links[i].source, static_cast<int>(i % 2));
    EXPECT_FLOAT_EQ(a.links[i].weight, expected[i]);
  }
  EXPECT_EQ(strongest_links(a), (WordLinks{{0, 0}, {1, 1}}));
  EXPECT_EQ(links_from(a, 0.25f), (WordLinks{{0, 0}, {0, 1}, {1, 0}, {1, 1}}));
  EXPECT_EQ(links_from(a, 0.6f), (WordLinks{{0, 0}}));
}

TEST(WordAlignment, CanTakeTheStepThatReadsAToken) {
  const WordAlignment a = align_words("x yz", example(), 1);
  ASSERT_EQ(a.links.size(), 2u);
  EXPECT_EQ(a.links[0].source, 0);
  EXPECT_FLOAT_EQ(a.links[0].weight, 0.625f);
  EXPECT_EQ(a.links[1].source, 1);
  EXPECT_FLOAT_EQ(a.links[1].weight, 0.25f);
  EXPECT_EQ(a.links[1].target, 0) << "the end is written from the end";
  Translation cut = example();
  cut.cut_off = true;
  cut.parts[0].log_probabilities.pop_back();
  cut.parts[0].weights.resize(12);
  EXPECT_EQ(align_words("x yz", cut, 1).links.size(), 2u);
}

TEST(WordAlignment, IsEmptyWithoutWeights) {
  Translation t = example();
  t.parts[0].weights.clear();
  const WordAlignment a = align_words("x yz", t);
  EXPECT_TRUE(a.links.empty());
  EXPECT_TRUE(strongest_links(a).empty());
  EXPECT_EQ(a.target.size(), 2u);
}

TEST(WordAlignment, JoinsPartsEvenWithinAWord) {
  // "ab" was cut into "a" and "b", their translations are one word, too.
  Translation t;
  t.text = "pq";
  for (int i : {0, 1}) {
    TranslatedPart part;
    part.source = {{1, i, i + 1}};
    part.target = {{2, i, i + 1}};
    part.log_probabilities = {-1, -1};
    part.weights = {0.5f, 0.5f, 0, 1};
    t.parts.push_back(part);
  }
  const WordAlignment a = align_words("ab", t);
  ASSERT_EQ(a.links.size(), 1u);
  EXPECT_FLOAT_EQ(a.links[0].weight, 0.5f);
  const WordScores scores = score_words(t);
  EXPECT_EQ(scores.words, std::vector<float>{-2});
  EXPECT_EQ(scores.end, -2);
}

TEST(WordScores, AreThoseOfTheWordsTokensAndOfTheEnd) {
  const WordScores scores = score_words(example());
  EXPECT_EQ(scores.words, (std::vector<float>{-3, -4}));
  EXPECT_EQ(scores.end, -8);
}

}  // namespace
}  // namespace fovea
