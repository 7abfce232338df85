#include "fovea/data/check.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "fovea/base/check.h"
#include "support/text_folder.h"

namespace fovea {
namespace {

using Lines = std::vector<std::string>;

class CheckTest : public ::testing::Test {
 protected:
  CheckConfig pair(const std::string& source, const std::string& target) {
    return {.src = {folder_.write("s", source)},
            .tgt = {folder_.write("t", target)}};
  }
  // The defects with the folder left out.
  Lines defects(const CheckReport& report) {
    Lines all;
    const std::string folder = folder_.path("");
    for (const Defect& defect : report.defects) {
      std::string text = text_of(defect);
      for (size_t at; (at = text.find(folder)) != std::string::npos;) {
        text.erase(at, folder.size());
      }
      all.push_back(text);
    }
    return all;
  }
  testing::TextFolder folder_;
};

TEST_F(CheckTest, FindsNothingInGoodPairs) {
  const CheckReport report = check_corpus(pair("a cat\na dog\n", "x\ny"));
  EXPECT_EQ(defects(report), Lines{});
  EXPECT_EQ(report.lines, 2);
  EXPECT_EQ(report.usable, 2);
  EXPECT_FALSE(report.breaks_training());
  ASSERT_EQ(report.files.size(), 2u);
  EXPECT_EQ(report.files[0].lines, 2);
  EXPECT_EQ(report.files[0].words, 4);
  EXPECT_EQ(report.files[0].longest, 2);
  EXPECT_EQ(report.skip, (std::vector<std::vector<bool>>{{false, false}}));
  EXPECT_EQ(defect_table(report), "");
  require_usable(report);
}

TEST_F(CheckTest, NamesDifferentNumbersOfLines) {
  const CheckReport report = check_corpus(pair("a\nb\nc\n", "x\n"));
  EXPECT_EQ(defects(report),
            (Lines{"t:2: line-count: 1 lines here but 3 in s"}));
  EXPECT_TRUE(report.breaks_training());
  EXPECT_THROW(require_usable(report), Error);
}

TEST_F(CheckTest, NamesLinesThatAreSkipped) {
  CheckConfig config =
      pair("a\n \nb\nc c c c c c\nshort\nd\n",
           "x\ny\n\nz\n0123456789 0123456789 0123456789 0123456789 01234\nw\n");
  config.max_length = 5;
  const CheckReport report = check_corpus(config);
  EXPECT_EQ(defects(report),
            (Lines{"s:2: empty-side: the source is empty",
                   "t:3: empty-side: the target is empty",
                   "s:4: too-long: 6 words, 11 bytes; max-length is 5",
                   "t:5: too-long: 5 words, 49 bytes; max-length is 5"}));
  EXPECT_EQ(report.skip[0],
            (std::vector<bool>{false, true, true, true, true, false}));
  EXPECT_EQ(report.usable, 2);
  EXPECT_FALSE(report.breaks_training());
}

TEST_F(CheckTest, NamesPairsOfVeryDifferentLengths) {
  const std::string twenty = "01234567890123456789";
  const CheckReport report =
      check_corpus(pair("ab\na\n" + twenty + "\nabc\n",
                        twenty + "\n0123456789\nx\n" + twenty + "\n"));
  EXPECT_EQ(defects(report),
            (Lines{"s:1: length-ratio: 2 bytes against 20 of the target",
                   "s:3: length-ratio: 20 bytes against 1 of the target"}));
  EXPECT_EQ(report.skip[0], (std::vector<bool>{true, false, true, false}));
}

TEST_F(CheckTest, NamesOddBytes) {
  const CheckReport report = check_corpus(
      pair(std::string("\ufeffa\nb\0c\nd\r\n", 12), "x\nyä\xff!\nz\n"));
  EXPECT_EQ(
      defects(report),
      (Lines{"s:1: byte-order-mark: the file begins with a byte order "
             "mark",
             "s:2: nul: byte 2 is NUL", "t:2: invalid-utf8: byte 4 is no UTF-8",
             "s:3: carriage-return: the line ends with a carriage "
             "return"}));
  EXPECT_EQ(report.usable, 3);
}

TEST_F(CheckTest, NamesDuplicatesAndLeaks) {
  CheckConfig config = pair("a\nb\na \na\nc\n", "x\ny\nx\nz\nw\n");
  config.valid_src = {folder_.write("vs", "q\nb\n")};
  config.valid_tgt = {folder_.write("vt", "q\nother\n")};
  config.test_src = {folder_.write("ts", "c\n")};
  config.test_tgt = {folder_.write("tt", "w\n")};
  EXPECT_EQ(defects(check_corpus(config)),
            (Lines{"s:2: leak: the same text is vs:2",
                   "s:5: leak: the same text is ts:1",
                   "s:3: duplicate: the same as line 1"}));
  EXPECT_EQ(check_corpus(config).usable, 5);
  config.skip_duplicates = config.skip_leaks = true;
  const CheckReport report = check_corpus(config);
  EXPECT_EQ(report.skip[0],
            (std::vector<bool>{false, true, true, false, true}));
  EXPECT_EQ(report.usable, 2);
  EXPECT_NE(defect_table(report).find("lines seen before: skipped"),
            std::string::npos);
}

TEST_F(CheckTest, FindsDuplicatesAcrossFiles) {
  CheckConfig config = pair("a\nb\n", "x\ny\n");
  config.src.push_back(folder_.write("s2", "c\nb\n"));
  config.tgt.push_back(folder_.write("t2", "z\ny\n"));
  EXPECT_EQ(defects(check_corpus(config)),
            (Lines{"s2:2: duplicate: the same as s:2"}));
}

TEST_F(CheckTest, NamesLinksThatCannotBe) {
  CheckConfig config = pair("a b\nc\nd\n", "x\ny\nz\n");
  config.alignments = {folder_.write("l", "1-0 0-1\n0-0\n0:0\n")};
  EXPECT_EQ(defects(check_corpus(config)),
            (Lines{"l:1: bad-link: link 0-1 in a pair of 2 and 1 words",
                   "l:3: bad-link: this is no list of links such as 0-0 1-2"}));
  config.alignments = {folder_.write("l", "0-0\n0-0\n")};
  EXPECT_EQ(defects(check_corpus(config)),
            (Lines{"l:3: line-count: 2 lines here but 3 in s"}));
  config.alignments = {folder_.write("l", "\n\n\n\n")};
  EXPECT_TRUE(check_corpus(config).breaks_training());
}

TEST_F(CheckTest, NamesBadLabelledLines) {
  CheckConfig config = {
      .train = {folder_.write("l",
                              "pos\ta film\nno label\nneg\t \n"
                              "__label__pos __label__neg b\npos\ta film\n")},
      .valid = {folder_.write("v", "pos\tb\nodd\tc\n")}};
  const CheckReport report = check_corpus(config);
  EXPECT_EQ(
      defects(report),
      (Lines{"l:2: bad-label: neither label, tab, text nor __label__NAME text",
             "l:3: empty-side: the text is empty",
             "l:4: more-labels: 2 labels, of which 'pos' is used",
             "l:4: leak: the same text is v:1",
             "v:2: unknown-label: no training line has the label 'odd'",
             "l:5: duplicate: the same as line 1"}));
  EXPECT_EQ(report.skip[0],
            (std::vector<bool>{false, true, true, false, false}));
}

TEST_F(CheckTest, SaysThatNothingIsLeft) {
  EXPECT_EQ(defects(check_corpus(pair("\n", "x\n"))),
            (Lines{"s:1: empty-side: the source is empty",
                   "s:1: nothing-left: none of 1 lines can be learnt from"}));
  EXPECT_TRUE(check_corpus(pair("", "")).breaks_training());
}

TEST_F(CheckTest, ValidationTextMustHoldSomethingToJudgeBy) {
  CheckConfig config = pair("a\n", "x\n");
  config.valid_tgt = {folder_.write("vt", "x\n\n")};
  for (const char* nothing : {"", "\n\n", " \ny\n"}) {
    config.valid_src = {folder_.write("vs", nothing)};
    config.valid_tgt = {folder_.write("vt", *nothing == 0 ? "" : "x\n\n")};
    const CheckReport report = check_corpus(config);
    EXPECT_TRUE(report.breaks_training()) << nothing;
    EXPECT_EQ(defects(report).back(),
              "vs:1: nothing-left: no line of the validation text can be "
              "judged by");
  }
  config.valid_src = {folder_.write("vs", "b\n\n")};
  EXPECT_FALSE(check_corpus(config).breaks_training());
  const CheckConfig labelled = {.train = {folder_.write("l", "p\ta\nn\tb\n")},
                                .valid = {folder_.write("v", "\np\t\n")}};
  EXPECT_TRUE(check_corpus(labelled).breaks_training());
}

TEST_F(CheckTest, HeldOutLinesAreNotSkipped) {
  CheckConfig config = pair("a\n\n", "x\ny\n");
  config.valid_src = {folder_.write("vs", "b\n\n\n")};
  config.valid_tgt = {folder_.write("vt", "y\ny\ny\n")};
  EXPECT_EQ(outcome_of(check_corpus(config), DefectCode::kEmptySide),
            "skipped, but 2 held-out ones kept");
  config.src = {folder_.write("s", "a\nb\n")};
  EXPECT_EQ(outcome_of(check_corpus(config), DefectCode::kEmptySide),
            "kept, since they are held out");
  config.valid_src = config.valid_tgt;
  EXPECT_EQ(outcome_of(check_corpus(config), DefectCode::kEmptySide),
            "skipped");
}

TEST_F(CheckTest, ShowsAFewOfEachCodeAndCountsAll) {
  CheckConfig config = pair("a\n\n\n\n\n", "x\ny\ny\ny\ny\n");
  config.show = 2;
  const CheckReport report = check_corpus(config);
  EXPECT_EQ(report.defects.size(), 2u);
  EXPECT_EQ(report.count(DefectCode::kEmptySide), 4);
}

TEST_F(CheckTest, RefusesPairsWithoutAPartner) {
  CheckConfig config = pair("a\n", "x\n");
  config.valid_src = {config.src[0]};
  EXPECT_THROW(check_corpus(config), Error);
  EXPECT_THROW(check_corpus({.train = {folder_.path("missing")}}), Error);
}

}  // namespace
}  // namespace fovea
