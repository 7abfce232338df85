#include "fovea/data/sentence_split.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "fovea/base/words.h"
#include "support/any_text.h"

namespace fovea {
namespace {

using Texts = std::vector<std::string>;

Texts texts(std::string_view text, const std::vector<TextRange>& ranges) {
  Texts all;
  for (const TextRange& range : ranges) all.emplace_back(range.of(text));
  return all;
}

Texts sentences(std::string_view text) {
  return texts(text, split_sentences(text));
}

TEST(SplitSentences, CutsBehindTheSignsThatEndThem) {
  EXPECT_EQ(sentences("It rains. Does it? Yes!  Well… Good"),
            (Texts{"It rains.", "Does it?", "Yes!", "Well…", "Good"}));
  EXPECT_EQ(sentences("Never?! 12 came. Été. Ärger."),
            (Texts{"Never?!", "12 came.", "Été.", "Ärger."}));
}

TEST(SplitSentences, KeepsClosingQuotesAndBracketsWithTheirSentence) {
  EXPECT_EQ(
      sentences("He said: \"Go!\" She went. (It rained.) So what"),
      (Texts{"He said: \"Go!\"", "She went.", "(It rained.)", "So what"}));
  EXPECT_EQ(sentences("»Ja.« Er ging."), (Texts{"»Ja.«", "Er ging."}));
  EXPECT_EQ(sentences("«Oui.» Il part."), (Texts{"«Oui.»", "Il part."}));
}

TEST(SplitSentences, NeedsNoSpaceInChineseAndJapanese) {
  EXPECT_EQ(sentences("今日は雨です。傘は？「はい。」行こう"),
            (Texts{"今日は雨です。", "傘は？", "「はい。」", "行こう"}));
}

TEST(SplitSentences, GoesOnBeforeSmallLettersAndWithoutSpace) {
  EXPECT_EQ(sentences("It is 3.14 at example.org. yes").size(), 1u);
  EXPECT_EQ(sentences("wait... what").size(), 1u);
}

TEST(SplitSentences, GoesOnBehindAbbreviationsInitialsAndSmallNumbers) {
  for (const char* text :
       {"Dr. Who and Mrs. Who", "J. S. Bach", "the U.S. Army", "am 3. Mai",
        "Birnen, Äpfel usw. Das", "z.B. Hunde", "Figs (Fig. A)"}) {
    EXPECT_EQ(sentences(text), Texts{text});
  }
  EXPECT_EQ(sentences("It was 1999. Then").size(), 2u);
}

TEST(SplitSentences, HasNoneInBlankText) {
  EXPECT_TRUE(sentences("").empty());
  EXPECT_TRUE(sentences(" \t\u00a0 ").empty());
  EXPECT_EQ(sentences("  ...  "), Texts{"..."});
}

TEST(SplitClauses, CutsAtOtherSigns) {
  const std::string text = "first, second; third: 1,5 (or so) – end，完了";
  EXPECT_EQ(texts(text, split_clauses(text)),
            (Texts{"first,", "second;", "third:", "1,5 (or so)", "–", "end，",
                   "完了"}));
}

// Whatever the text, only white space lies between sentences.
RC_GTEST_PROP(SplitSentences, LosesNothing, ()) {
  const std::string text = *testing::any_text();
  for (const auto& ranges : {split_sentences(text), split_clauses(text)}) {
    int end = 0;
    const auto is_space = [&](int to) {
      return without_end_space(std::string_view(text).substr(end, to - end))
          .empty();
    };
    for (const TextRange& range : ranges) {
      RC_ASSERT(range.begin < range.end);
      RC_ASSERT(is_space(range.begin));
      end = range.end;
    }
    RC_ASSERT(is_space(static_cast<int>(text.size())));
  }
}

}  // namespace
}  // namespace fovea
