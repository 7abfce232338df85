#include "fovea/data/long_text.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "fovea/base/unicode.h"
#include "fovea/base/words.h"
#include "support/any_text.h"

namespace fovea {
namespace {

using Texts = std::vector<std::string>;

// A token is a code point.
int count(std::string_view text) {
  return static_cast<int>(code_points(text).size());
}

Texts parts(std::string_view text, int most) {
  Texts all;
  for (const TextRange& range : cut_long_text(text, most, count)) {
    all.emplace_back(range.of(text));
  }
  return all;
}

TEST(CutLongText, LeavesAShortTextAsItIs) {
  EXPECT_EQ(parts("  Two. Sentences ", 17), Texts{"  Two. Sentences "});
}

TEST(CutLongText, MakesEachSentenceAPart) {
  EXPECT_EQ(parts("One. Two. Three.", 15), (Texts{"One.", "Two.", "Three."}));
}

TEST(CutLongText, CutsALongSentenceAtCommasAsFewTimesAsItMust) {
  EXPECT_EQ(parts("Go. One, two, three, four", 11),
            (Texts{"Go.", "One, two,", "three, four"}));
}

TEST(CutLongText, ThenBetweenWordsThenCharacters) {
  EXPECT_EQ(parts("aa bb cc, ddd", 6), (Texts{"aa bb", "cc,", "ddd"}));
  EXPECT_EQ(parts("abcdefgh ij", 3), (Texts{"abc", "def", "gh", "ij"}));
}

TEST(CutLongText, CutsNoCharacterUnlessItIsTooLongItself) {
  EXPECT_EQ(parts("e\u0301e\u0301e\u0301", 3),
            (Texts{"e\u0301", "e\u0301", "e\u0301"}));
  EXPECT_EQ(parts("e\u0301\u0302\u0303", 2),
            (Texts{"e\u0301", "\u0302\u0303"}));
  EXPECT_EQ(parts("ab", 0), (Texts{"a", "b"}));
}

RC_GTEST_PROP(CutLongText, LosesNothingAndKeepsToTheLimit, ()) {
  std::string text;
  for (int i = 0; i < 5; ++i) text += *testing::any_text();
  const int most = *rc::gen::inRange(1, 30);
  size_t end = 0;
  const auto is_space = [&](size_t to) {
    return without_end_space(std::string_view(text).substr(end, to - end))
        .empty();
  };
  for (const TextRange& range : cut_long_text(text, most, count)) {
    RC_ASSERT(count(range.of(text)) <= most);
    RC_ASSERT(is_space(range.begin));
    end = range.end;
  }
  RC_ASSERT(is_space(text.size()));
}

}  // namespace
}  // namespace fovea
