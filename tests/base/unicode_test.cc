#include "fovea/base/unicode.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace fovea {
namespace {

TEST(DisplayWidth, CountsColumnsNotBytes) {
  EXPECT_EQ(display_width(""), 0);
  EXPECT_EQ(display_width("fovea"), 5);
  EXPECT_EQ(display_width("äöü"), 3);
  EXPECT_EQ(display_width("e\u0301te\u0301"), 3);  // combining accents
  EXPECT_EQ(display_width("注意力"), 6);
  EXPECT_EQ(display_width("한국"), 4);
  EXPECT_EQ(display_width("नमस्ते"), 4);
}

TEST(DisplayWidth, TakesAnEmojiWithItsPartsForOne) {
  EXPECT_EQ(display_width("😀"), 2);
  EXPECT_EQ(display_width("👍🏽"), 2);         // skin tone
  EXPECT_EQ(display_width("👩\u200d👩\u200d👧"), 2);  // family
  EXPECT_EQ(display_width("🇩🇪🇫🇷"), 4);             // two flags
  EXPECT_EQ(display_width("\u2764"), 1);
  EXPECT_EQ(display_width("\u2764\ufe0f"), 2);
}

TEST(Graphemes, KeepsMarksWithTheirLetters) {
  const auto parts = graphemes("ae\u0301注");
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[1], "e\u0301");
  EXPECT_TRUE(graphemes("").empty());
}

TEST(CutToColumns, CutsBetweenWholeCharacters) {
  EXPECT_EQ(cut_to_columns("abc", 5), "abc");
  EXPECT_EQ(cut_to_columns("abc", 2), "ab");
  EXPECT_EQ(cut_to_columns("äöü", 2), "äö");
  EXPECT_EQ(cut_to_columns("e\u0301a", 1), "e\u0301");
  EXPECT_EQ(cut_to_columns("注意", 3), "注");
  EXPECT_EQ(cut_to_columns("abc", 0), "");
}

TEST(OneLine, ShowsWhatWouldSteerATerminal) {
  EXPECT_EQ(one_line("a\nb\t\x1b[31m\x7f"), "a\\nb\\x09\\x1b[31m\\x7f");
  EXPECT_EQ(one_line("\u009b2J"), "\\u{9b}2J");
  EXPECT_EQ(one_line("\u202eabc\u2028"), "\\u{202e}abc\\u{2028}");
  EXPECT_EQ(one_line("\ufffe\u200b"), "\\u{fffe}\\u{200b}");
  EXPECT_EQ(one_line(std::string_view("\0", 1)), "\\x00");
}

TEST(OneLine, ShowsBytesThatAreNoText) {
  EXPECT_EQ(one_line("\xe6\xb3"), "\\xe6\\xb3");
  EXPECT_EQ(one_line("\xff"
                     "a"),
            "\\xffa");
  EXPECT_EQ(one_line("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // a surrogate
}

TEST(OneLine, LeavesTextInAnyScriptAlone) {
  for (const char* text : {"Größe", "注意力", "می‌خواهم",
                           "👩‍👧", "שלום", "a\u00a0b", "▁the"}) {
    EXPECT_EQ(one_line(text), text);
  }
}

RC_GTEST_PROP(Unicode, HoldsForAnyBytes, (const std::string& bytes)) {
  const std::string line = one_line(bytes);
  RC_ASSERT(std::all_of(line.begin(), line.end(), [](char c) {
    return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f;
  }));
  RC_ASSERT(one_line(line) == line);
  std::string joined;
  for (const auto part : graphemes(bytes)) joined += part;
  RC_ASSERT(joined == bytes);
  const int half = display_width(bytes) / 2;
  RC_ASSERT(display_width(cut_to_columns(bytes, half)) <= half);
}

}  // namespace
}  // namespace fovea
