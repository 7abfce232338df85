// The command fovea check-data, as its users run it.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/command.h"
#include "support/text_folder.h"

namespace fovea {
namespace {

testing::Outcome check(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "check-data");
  return testing::run_command(FOVEA_COMMAND_PATH, arguments);
}

class CheckData : public ::testing::Test {
 protected:
  testing::TextFolder folder_;
};

TEST_F(CheckData, ReportsDefectsAndSucceedsIfTrainingCanRun) {
  const std::string source = folder_.write("train.en", "a\n\na\nb\n");
  const auto outcome = check({"--src", source, "--tgt",
                              folder_.write("train.de", "x\ny\nx\nz\n"),
                              "--test-src", folder_.write("test.en", "b\n"),
                              "--test-tgt", folder_.write("test.de", "z\n")});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  for (const std::string& line :
       {source + ":2: empty-side: the source is empty\n",
        source + ":3: duplicate: the same as line 1\n",
        source + ":4: leak: the same text is " + folder_.path("test.en:1\n"),
        std::string("\n3 of 4 lines can be learnt from\n")}) {
    EXPECT_NE(outcome.out.find(line), std::string::npos) << line << outcome.out;
  }
}

TEST_F(CheckData, FailsOnWhatWouldBreakTraining) {
  const std::string source = folder_.write("s", "a\nb\n");
  const std::string target = folder_.write("t", "x\n");
  const auto outcome = check({"--src", source, "--tgt", target});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_EQ(outcome.err, "fovea: " + target +
                             ":2: line-count: 1 lines here but 2 in " + source +
                             "\n");
  EXPECT_EQ(check({"--src", source, "--tgt", folder_.path("no")}).code, 3);
  EXPECT_EQ(check({"--src", source, "--tgt", folder_.write("e", "\n\n")}).code,
            3);
}

TEST_F(CheckData, FailsOnValidationTextWithoutALine) {
  const std::string empty = folder_.write("v", "");
  const auto outcome = check({"--src", folder_.write("s", "a\n"), "--tgt",
                              folder_.write("t", "x\n"), "--valid-src", empty,
                              "--valid-tgt", folder_.write("vt", "")});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_NE(outcome.err.find(empty + ":1: nothing-left"), std::string::npos)
      << outcome.err;
}

TEST_F(CheckData, NeedsSomethingToCheck) {
  EXPECT_EQ(check({}).code, 2);
  EXPECT_EQ(check({"--src", folder_.write("s", "a\n")}).code, 2);
}

TEST_F(CheckData, ShowsAllOnRequestAndWritesJson) {
  const std::string bad(30, '\n');
  const std::string path = folder_.write("l", "pos\ta\n" + bad + "p\xff\tz\n");
  const auto some = check({"--train", path});
  EXPECT_EQ(some.code, 0) << some.err;
  EXPECT_NE(some.out.find("... and 20 more; --all shows them\n"),
            std::string::npos)
      << some.out;
  const auto all = check({"--train", path, "--all", "--json"});
  EXPECT_EQ(all.code, 0);
  const auto json = nlohmann::json::parse(all.out);
  EXPECT_EQ(json["lines"], 32);
  EXPECT_EQ(json["usable"], 2);
  EXPECT_EQ(json["breaks_training"], false);
  EXPECT_EQ(json["counts"]["bad-label"], 30);
  EXPECT_EQ(json["counts"]["invalid-utf8"], 1);
  EXPECT_EQ(json["defects"].size(), 31u);
  EXPECT_EQ(json["defects"][0]["line"], 2);
  EXPECT_EQ(json["files"][0]["path"], path);
}

}  // namespace
}  // namespace fovea
