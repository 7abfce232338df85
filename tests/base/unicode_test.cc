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

TEST(Utf8, RefusesWhatIsNone) {
  EXPECT_TRUE(is_utf8(""));
  EXPECT_TRUE(is_utf8(std::string("a\0\n\r", 4)));
  EXPECT_TRUE(is_utf8("äß€😀\U0010ffff"));
  EXPECT_FALSE(is_utf8("\xff"));
  EXPECT_FALSE(is_utf8("abc\xc3"));           // cut short
  EXPECT_FALSE(is_utf8("\xc0\x80"));          // NUL in two bytes
  EXPECT_FALSE(is_utf8("\xed\xa0\x80"));      // half of a pair of UTF-16
  EXPECT_FALSE(is_utf8("\xf4\x90\x80\x80"));  // beyond Unicode
}

TEST(Utf8, IsMendedByteByByte) {
  EXPECT_EQ(mend_utf8("äb"), "äb");
  EXPECT_EQ(mend_utf8("a\xff\xfe b"), "a\ufffd\ufffd b");
  EXPECT_EQ(mend_utf8("\xe2\x82"), "\ufffd\ufffd");
}

RC_GTEST_PROP(Utf8, IsThereAfterMending, (const std::string& bytes)) {
  const std::string mended = mend_utf8(bytes);
  RC_ASSERT(is_utf8(mended));
  RC_ASSERT(is_utf8(bytes) == (mended == bytes));
  size_t at = 0;
  while (at < mended.size()) {
    at += code_point_bytes(std::string_view(mended).substr(at));
  }
  RC_ASSERT(at == mended.size());
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
