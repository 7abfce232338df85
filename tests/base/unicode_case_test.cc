#include "fovea/base/unicode_case.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

namespace fovea {
namespace {

TEST(LowerCase, LowersEveryScriptThatHasCases) {
  EXPECT_EQ(lower_case("Hello, WORLD 42"), "hello, world 42");
  EXPECT_EQ(lower_case("ÄÖÜ ẞ Été"), "äöü ß été");
  EXPECT_EQ(lower_case("ПРИВЕТ"), "привет");
  EXPECT_EQ(lower_case("注意 שלום"), "注意 שלום");
  EXPECT_EQ(lower_case("ⅫⒶ"), "ⅻⓐ");
}

TEST(LowerCase, EndsGreekWordsWithAFinalSigma) {
  EXPECT_EQ(lower_case("ΟΔΟΣ ΣΟΦΟΣ."), "οδος σοφος.");
  EXPECT_EQ(lower_case("Σ"), "σ");
  EXPECT_EQ(lower_case("ΑΣ'Α ΑΣ' Α\u0301Σ\u0301"), "ασ'α ας' α\u0301ς\u0301");
}

TEST(LowerCase, KeepsTheDotOfATurkishI) {
  EXPECT_EQ(lower_case("İI"), "i\u0307i");
}

RC_GTEST_PROP(LowerCase, LeavesWhatItLoweredAlone, (const std::string& bytes)) {
  const std::string lowered = lower_case(bytes);
  RC_ASSERT(lower_case(lowered) == lowered);
}

}  // namespace
}  // namespace fovea
