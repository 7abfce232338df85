#include "fovea/explain/label.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fovea/base/unicode.h"

namespace fovea {
namespace {

TEST(LabelText, ShowsSpacesAtTheEnds) {
  EXPECT_EQ(label_text("a b"), "a b");
  EXPECT_EQ(label_text(" the"), "␣the");
  EXPECT_EQ(label_text("x "), "x␣");
  EXPECT_EQ(label_text("  "), "␣␣");
  EXPECT_EQ(label_text(""), "");
  EXPECT_EQ(label_text("\n"), "\\n");
}

TEST(Shortened, EndsInAnEllipsisAndKeepsTheWidth) {
  EXPECT_EQ(shortened("attention", 9), "attention");
  EXPECT_EQ(shortened("attention", 5), "atte…");
  EXPECT_EQ(shortened("注意力", 4), "注…");
}

TEST(WrapWords, BreaksAtSpaces) {
  auto wrap = [](std::string_view text) {
    return wrap_words(text, 7, display_width);
  };
  EXPECT_EQ(wrap("a bb ccc dddd"),
            (std::vector<std::string>{"a bb", "ccc", "dddd"}));
  EXPECT_EQ(wrap("a verylongword b"),
            (std::vector<std::string>{"a", "verylongword", "b"}));
  EXPECT_TRUE(wrap("").empty());
}

}  // namespace
}  // namespace fovea
