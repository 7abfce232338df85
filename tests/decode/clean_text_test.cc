#include "fovea/decode/clean_text.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "fovea/base/unicode.h"
#include "fovea/base/words.h"
#include "support/any_text.h"

namespace fovea {
namespace {

Tokenizer tokenizer(const std::string& text) {
  return Tokenizer::train({.unit = TextUnit::kCharacters, .vocab_size = 400},
                          [&](const auto& line) { line(text); });
}

const Tokenizer& plain() {
  static const Tokenizer made = tokenizer("the cat sees two birds");
  return made;
}

TEST(CleanText, LeavesOutWhatIsAroundATextAndMakesARunOneSpace) {
  EXPECT_EQ(clean_text("the cat", plain()).text, "the cat");
  EXPECT_EQ(clean_text("\ufeff\t the  cat \t\rsees\u00a0two\r", plain()).text,
            "the cat sees two");
  EXPECT_EQ(clean_text("the\ufeff cat\ufeff", plain()).text, "the cat");
  EXPECT_EQ(clean_text("bi\ufeffrds", plain()).text, "birds");
  EXPECT_EQ(clean_text(" \ufeff\u3000\n", plain()).text, "");
}

TEST(CleanText, KeepsASpaceThatTheVocabularyHas) {
  const Tokenizer french = tokenizer("Non\u00a0! a b");
  EXPECT_EQ(clean_text("Non\u00a0!", french).text, "Non\u00a0!");
  EXPECT_EQ(clean_text("Non \u00a0!", french).text, "Non !");
  EXPECT_EQ(clean_text("Non\t!", french).text, "Non !");
}

TEST(CleanText, TokensHaveTheBytesOfTheTextAsItWas) {
  const std::string text = "\t the  \rcat ";
  std::string joined;
  int end = 0;
  for (const Piece& piece : clean_pieces(text, plain())) {
    const TextRange range{piece.begin, piece.end};
    EXPECT_GE(range.begin, end == 0 ? 2 : end);
    end = range.end;
    joined += range.of(text);
  }
  EXPECT_EQ(joined, "the  \rcat");
}

RC_GTEST_PROP(CleanText, KeepsAllElseInItsPlace, ()) {
  const std::string text = mend_utf8(*testing::any_text());
  const CleanText clean = clean_text(text, plain());
  RC_ASSERT(clean.from.size() == clean.text.size() + 1);
  RC_ASSERT(std::ranges::is_sorted(clean.from));
  for (size_t i = 0; i < clean.text.size(); ++i) {
    if (white_space_at(std::string_view(clean.text).substr(i)) > 0) continue;
    if (static_cast<unsigned char>(clean.text[i]) >= 0x80) continue;
    RC_ASSERT(text[clean.from[i]] == clean.text[i]);
  }
  std::string words, before;
  for (const std::string_view word : split_words(clean.text)) words += word;
  for (const std::string_view word : split_words(text)) before += word;
  for (size_t at; (at = before.find("\ufeff")) != std::string::npos;) {
    before.erase(at, 3);
  }
  RC_ASSERT(words == before);
}

}  // namespace
}  // namespace fovea
