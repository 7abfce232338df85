#include "fovea/data/labelled.h"

#include <gtest/gtest.h>

#include "support/text_folder.h"

namespace fovea {
namespace {

TEST(Labelled, ReadsALabelBeforeATab) {
  const auto line = read_labelled("very good\ta film\twith tabs");
  ASSERT_TRUE(line);
  EXPECT_EQ(line->label, "very good");
  EXPECT_EQ(line->text, "a film\twith tabs");
  EXPECT_EQ(line->labels, 1);
  EXPECT_EQ(read_labelled("x\t")->text, "");
}

TEST(Labelled, ReadsLinesOfFastText) {
  const auto line =
      read_labelled("__label__a __label__b  some __label__c text");
  ASSERT_TRUE(line);
  EXPECT_EQ(line->label, "a");
  EXPECT_EQ(line->labels, 2);
  EXPECT_EQ(line->text, "some __label__c text");
  EXPECT_EQ(read_labelled("__label__a")->text, "");
  EXPECT_EQ(read_labelled("__label__a\ttext")->text, "text");
}

TEST(Labelled, RefusesLinesWithoutALabel) {
  for (const char* line : {"", "no tab", "\ttext", "__label__ text",
                           "__label__a __label__ text"}) {
    EXPECT_FALSE(read_labelled(line)) << line;
  }
}

TEST(Labelled, ListsEveryLabelOnceInOrder) {
  const testing::TextFolder folder;
  EXPECT_EQ(labels_in({folder.write("a", "pos\tx\nneg\ty\npos\tz\nbad\n"),
                       folder.write("b", "__label__neutral __label__pos q\n")}),
            (std::vector<std::string>{"neg", "neutral", "pos"}));
  EXPECT_TRUE(labels_in({folder.write("c", "")}).empty());
}

}  // namespace
}  // namespace fovea
