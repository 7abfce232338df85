#include "fovea/io/number_table.h"

#include <gtest/gtest.h>

#include "fovea/base/check.h"
#include "support/temp_folder.h"

namespace fovea {
namespace {

std::string error_of(const std::string& text) {
  try {
    read_number_table(text, "t.csv");
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::kData);
    return e.what();
  }
  return "no error";
}

class WordVectors : public ::testing::Test {
 protected:
  NumberTable load(const std::string& text,
                   const std::vector<std::string>& words) {
    return load_word_vectors(folder_.write("words.vec", text), words);
  }
  testing::TempFolder folder_;
};

TEST(NumberTable, ReadsNumbersBetweenCommasOrTabs) {
  const NumberTable t =
      read_number_table("# keys\n1, -2.5,+3e1\r\n\n4,5,6\n", "t.csv");
  EXPECT_EQ(t.rows, 2);
  EXPECT_EQ(t.columns, 3);
  EXPECT_TRUE(t.labels.empty());
  EXPECT_EQ(t.values, (std::vector<float>{1, -2.5f, 30, 4, 5, 6}));
  EXPECT_EQ(read_number_table("1\t2\n", "t").columns, 2);
}

TEST(NumberTable, ReadsLabels) {
  const NumberTable t =
      read_number_table("\"Smith, \"\"Bob\"\"\",1\nEve,2\n", "t.csv");
  EXPECT_EQ(t.labels, (std::vector<std::string>{"Smith, \"Bob\"", "Eve"}));
  EXPECT_EQ(t.values, (std::vector<float>{1, 2}));
}

TEST(NumberTable, NamesTheLineThatIsWrong) {
  EXPECT_EQ(error_of(""), "t.csv: there is no row of numbers");
  EXPECT_EQ(error_of("1,2\n3\n"),
            "t.csv:2: 1 numbers where the first row has 2");
  EXPECT_EQ(error_of("1,x\n"), "t.csv:1: 'x' is not a finite number");
  EXPECT_EQ(error_of("1,inf\n"), "t.csv:1: 'inf' is not a finite number");
  EXPECT_EQ(error_of("1,1e99\n"), "t.csv:1: '1e99' is not a finite number");
  EXPECT_EQ(error_of("label\n"), "t.csv:1: there are no numbers");
  EXPECT_EQ(error_of("a,1\n2,3\n"),
            "t.csv:2: '2' is a number where the rows before have a label");
  EXPECT_EQ(error_of("1,1\na,3\n"),
            "t.csv:2: 'a' is no number, and the rows before have no label");
  EXPECT_THROW(load_number_table("/nowhere/t.csv"), Error);
}

TEST_F(WordVectors, KeepsTheWordsAskedForInTheirOrder) {
  const std::string text = "3 2\nthe 1 2\nbird 3 4\nworm 5 6\n";
  const NumberTable t = load(text, {"worm", "the", "worm"});
  EXPECT_EQ(t.columns, 2);
  EXPECT_EQ(t.values, (std::vector<float>{5, 6, 1, 2, 5, 6}));
}

TEST_F(WordVectors, NameTheWordOrTheLineThatIsWrong) {
  EXPECT_THROW(load("the 1 2\n", {"bird"}), Error);
  EXPECT_THROW(load("the 1 2\nbird 3\n", {"the", "bird"}), Error);
  EXPECT_THROW(load("the 1 x\n", {"the"}), Error);
  EXPECT_THROW(load("", {"the"}), Error);
  EXPECT_NO_THROW(load("the 1 x\nbird 1 2\n", {"bird"}));
}

}  // namespace
}  // namespace fovea
