#include "fovea/eval/tokenize_13a.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace fovea {
namespace {

TEST(Tokenize13a, SeparatesWordsAndSigns) {  // SPEC F3
  const std::pair<const char*, const char*> cases[] = {
      {"Hello, world! It's 3.14 and 1,000-2 (ok).",
       "Hello , world ! It's 3.14 and 1,000 - 2 ( ok ) ."},
      {"&quot;Café-Liebhaber&quot; cost $5.00, e.g. A/B",
       "\" Café-Liebhaber \" cost $ 5.00 , e . g . A / B"},
      {"-5 2-3 x-y U.S.", "-5 2 - 3 x-y U . S ."},
      {"a.b 5. 6,", "a . b 5 . 6 ,"},
      {"Wait... what?", "Wait . . . what ?"},
      {"1,,2 a.,b", "1 , , 2 a . , b"},
      {"x--y 3--4", "x--y 3 - -4"},
      {"50%-off (1.5) [a_b] {c}~d", "50 % -off ( 1.5 ) [ a _ b ] { c } ~ d"},
      {"3.,4", "3 . , 4"},
  };
  for (const auto& [line, tokens] : cases) {
    EXPECT_EQ(tokenize_13a(line), tokens);
  }
}

TEST(Tokenize13a, SplitsAtNoBreakSpacesAndKeepsOtherScripts) {
  EXPECT_EQ(tokenize_13a("10\u00a0km \u2003 weg\r\n"), "10 km weg");
  EXPECT_EQ(tokenize_13a("注意力。好,吗"), "注意力。好 , 吗");
  EXPECT_EQ(tokenize_13a(""), "");
}

TEST(Tokenize13a, UndoesMarkup) {
  EXPECT_EQ(tokenize_13a("a <skipped>b&amp;lt;"), "a b <");
  EXPECT_EQ(tokenize_13a("wo-\nrd\nnext-\n"), "word next-");
}

RC_GTEST_PROP(Tokenize13a, LosesSpaceOnly, (const std::string& bytes)) {
  std::string text;
  for (char c : bytes) {  // no markup, no white space but the ASCII one
    if (c > 0 && c != '&' && c != '<' && c != '\n') text += c;
  }
  const auto without_space = [](const std::string& s) {
    std::string out;
    for (char c : s) {
      const bool space =
          c == ' ' || (c >= '\t' && c <= '\r') || (c >= '\x1c' && c <= '\x1f');
      if (!space) out += c;
    }
    return out;
  };
  RC_ASSERT(without_space(tokenize_13a(text)) == without_space(text));
}

}  // namespace
}  // namespace fovea
