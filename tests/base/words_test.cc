#include "fovea/base/words.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

namespace fovea {
namespace {

using Views = std::vector<std::string_view>;

TEST(SplitWords, SplitsAtAnyWhiteSpace) {
  EXPECT_EQ(split_words("  a\tbc \r\n"), (Views{"a", "bc"}));
  EXPECT_EQ(split_words("10\u00a0km\u2009h\u3000\u6ce8\u2028x"),
            (Views{"10", "km", "h", "\u6ce8", "x"}));
  EXPECT_EQ(split_words("a\x1c"
                        "b\u0085c\u1680d\u202fe\u205ff"),
            (Views{"a", "b", "c", "d", "e", "f"}));
  EXPECT_TRUE(split_words("").empty());
  EXPECT_TRUE(split_words(" \u2003 ").empty());
}

TEST(SplitWords, KeepsWhatOnlyLooksLikeWhiteSpace) {
  // Zero width space, joiner, byte order mark: Unicode's category Cf.
  EXPECT_EQ(split_words("a\u200bb\u200dc\ufeffd").size(), 1u);
  EXPECT_EQ(split_words("a\u180eb\xe2\x80").size(), 1u);
}

TEST(WithoutEndSpace, CutsTheEndOnly) {
  EXPECT_EQ(without_end_space(" a b\u00a0\u2003\r\n"), " a b");
  EXPECT_EQ(without_end_space("\u3000 "), "");
  EXPECT_EQ(without_end_space(""), "");
  EXPECT_EQ(without_end_space("à"), "à");
}

RC_GTEST_PROP(SplitWords, LosesWhiteSpaceOnly, (const std::string& bytes)) {
  std::string expected;
  for (size_t i = 0; i < bytes.size();) {
    const size_t space = white_space_at(std::string_view(bytes).substr(i));
    if (space == 0) expected += bytes[i];
    i += space == 0 ? 1 : space;
  }
  std::string joined;
  for (const auto word : split_words(bytes)) {
    RC_ASSERT(!word.empty());
    joined += word;
  }
  RC_ASSERT(joined == expected);
}

}  // namespace
}  // namespace fovea
