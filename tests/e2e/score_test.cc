// fovea score, as a user runs it.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "e2e/translate_command.h"

namespace fovea {
namespace {

using namespace fovea::testing;
using nlohmann::json;
using ScoreCommand = TranslateCommand;

TEST_F(ScoreCommand, ScoringSaysOfATranslationWhatTheSearchSaid) {
  write_model_folder(path("words"), {.unit = TextUnit::kWords});
  const std::string sources = "the cat sees two birds\nmy dog\nder Löwe .\n";
  folder_.write("in", sources);
  const Outcome found = run_command(
      FOVEA_COMMAND_PATH, {"translate", path("words"), path("in"), "--format",
                           "json", "--alignment", "soft", "--word-scores"});
  ASSERT_EQ(found.code, 0) << found.err;
  std::string targets, pairs;
  for (const std::string& line : lines_of(found.out)) {
    const json t = json::parse(line);
    targets += std::string(t["translation"]) + "\n";
    pairs +=
        std::string(t["text"]) + "\t" + std::string(t["translation"]) + "\n";
  }
  folder_.write("out", targets);
  folder_.write("pairs", pairs);
  const Texts more = {"--format", "json", "--alignment", "soft",
                      "--word-scores"};
  Texts two = {"score",    path("words"), "--src",
               path("in"), "--tgt",       path("out")};
  two.insert(two.end(), more.begin(), more.end());
  const Outcome scored = run_command(FOVEA_COMMAND_PATH, two);
  ASSERT_EQ(scored.code, 0) << scored.err;
  EXPECT_NE(scored.err.find("perplexity "), std::string::npos) << scored.err;
  Texts tabs = {"score", path("words"), path("pairs")};
  tabs.insert(tabs.end(), more.begin(), more.end());
  EXPECT_EQ(run_command(FOVEA_COMMAND_PATH, tabs).out, scored.out);

  const Texts a = lines_of(found.out), b = lines_of(scored.out);
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    const json x = json::parse(a[i]), y = json::parse(b[i]);
    if (x["cut_off"]) continue;
    EXPECT_NEAR(x["log_probability"], y["log_probability"], 1e-4);
    EXPECT_NEAR(x["score"], y["score"], 1e-4);
    const json &left = x["alignment"]["weights"],
               &right = y["alignment"]["weights"];
    ASSERT_EQ(left.size(), right.size());
    for (size_t t = 0; t < left.size(); ++t) {
      for (size_t s = 0; s < left[t].size(); ++s) {
        EXPECT_NEAR(left[t][s], right[t][s], 1e-4);
      }
    }
  }
}

TEST_F(ScoreCommand, ScoringTakesEmptyTextAndNamesWhatIsMissing) {
  const auto run = [&](Texts more) {
    more.insert(more.begin(), {"score", model_});
    return run_command(FOVEA_COMMAND_PATH, more);
  };
  folder_.write("pairs", "\t\nthe cat\t\n\tmy dog\nbad \xff\tx\n\n");
  const Outcome o = run({path("pairs"), "--word-scores"});
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(lines_of(o.out).size(), 5u);
  EXPECT_EQ(lines_of(o.out)[0], "") << "there is nothing to score";
  EXPECT_EQ(lines_of(o.out)[4], "");
  EXPECT_NE(o.err.find("pairs:4: not UTF-8"), std::string::npos) << o.err;
  folder_.write("one", "the cat\n");
  expect(run({path("one")}), 3, "one:1");
  expect(run({"--src", path("pairs"), "--tgt", path("one")}), 3, "pairs:2");
  expect(run({"--src", path("one")}), 2, "--tgt");
}

TEST_F(ScoreCommand, BarsAndATabMeanTheSame) {
  const auto run = [&](const std::string& pairs) {
    folder_.write("pairs", pairs);
    return run_command(FOVEA_COMMAND_PATH,
                       {"score", model_, path("pairs"), "--format", "json"})
        .out;
  };
  const std::string tab = run("the cat\tder Löwe\n");
  EXPECT_EQ(run("the cat ||| der Löwe\n"), tab);
  EXPECT_EQ(run("the cat|||der Löwe \n"), tab);
}

// With a shortlist, heads and penalties, too, if they are the same.
TEST_F(ScoreCommand, TakesWhatChangesScoresInASearch) {
  folder_.write("src", "the cat\na small dog\nmy dog sees\ntwo birds\n");
  folder_.write("tgt", "der Löwe\nmy dog\nsieht two\nthe tree\n");
  write_model_folder(path("words"), {.unit = TextUnit::kWords});
  const auto run = [&](const std::string& command, Texts more) {
    more.insert(more.begin(), {command, path("words")});
    return run_command(FOVEA_COMMAND_PATH, more);
  };
  expect(
      run("score", {"--src", path("src"), "--tgt", path("tgt"), "--shortlist"}),
      2, "fovea shortlist");
  ASSERT_EQ(run("shortlist", {"--src", path("src"), "--tgt", path("tgt"),
                              "--each", "3", "--frequent", "5"})
                .code,
            0);
  const Texts same = {
      "--shortlist", "--coverage-penalty", "0.3",  "--alignment-head",
      "1",           "--alignment",        "soft", "--format",
      "json"};
  Texts translated = {path("src")},
        scored = {"--src", path("src"), "--tgt", path("out")};
  translated.insert(translated.end(), same.begin(), same.end());
  scored.insert(scored.end(), same.begin(), same.end());
  const Texts found = lines_of(run("translate", translated).out);
  ASSERT_EQ(found.size(), 4u);
  std::string targets;
  for (const std::string& line : found) {
    targets += std::string(json::parse(line)["translation"]) + "\n";
  }
  folder_.write("out", targets);
  const Texts said = lines_of(run("score", scored).out);
  ASSERT_EQ(said.size(), 4u);
  int compared = 0;
  for (size_t i = 0; i < found.size(); ++i) {
    const json a = json::parse(found[i]), b = json::parse(said[i]);
    if (a["cut_off"]) continue;
    EXPECT_EQ(a["score"], b["score"]);
    EXPECT_EQ(a["alignment"], b["alignment"]);
    ++compared;
  }
  EXPECT_GT(compared, 0);
}

TEST_F(ScoreCommand, AFullDiskIsTheLackOfAResource) {
  folder_.write("pairs", "the cat\tmy dog\n");
  for (const char* command : {"score", "info"}) {
    Texts all = {command};
    if (all[0] == "score") all.insert(all.end(), {model_, path("pairs"), "-q"});
    expect(run_command(FOVEA_COMMAND_PATH, all, "exec > /dev/full;"), 4,
           "standard output: cannot be written: No space left");
  }
}

}  // namespace
}  // namespace fovea
