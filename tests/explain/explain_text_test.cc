#include "fovea/explain/explain_text.h"

#include <gtest/gtest.h>

#include "fovea/base/check.h"
#include "support/temp_folder.h"
#include "support/translator_folder.h"

namespace fovea {
namespace {

using namespace fovea::testing;

TEST(ExplainText, ExplainsALongTextInOnePart) {
  const TempFolder folder;
  const Translator translator =
      Translator::load({write_model_folder(folder.file("m"))});
  std::string text;
  for (int i = 0; i < 300; ++i) text += "the cat ";
  const Explanation e = explain_text(translator, {text, "two birds"});
  EXPECT_GT(e.source.tokens.size(), 300u);
  EXPECT_EQ(e.target.text, "two birds");
  EXPECT_EQ(e.alignment.cols(), std::ssize(e.source.tokens));
  // Flow would take too long.
  EXPECT_EQ(e.rollouts.at(0).flow.size(), 0);
}

TEST(ExplainText, RefusesBlankSides) {
  const TempFolder folder;
  const Translator translator =
      Translator::load({write_model_folder(folder.file("m"))});
  EXPECT_THROW(explain_text(translator, {" "}), Error);
  EXPECT_THROW(explain_text(translator, {"the cat", " "}), Error);
}

}  // namespace
}  // namespace fovea
