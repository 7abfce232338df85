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
  folder_.write("pairs", "\t\nthe cat\t\n\tmy dog\nbad \xff\tx\n");
  const Outcome o = run({path("pairs"), "--word-scores"});
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(lines_of(o.out).size(), 4u);
  EXPECT_NE(o.err.find("pairs:4: not UTF-8"), std::string::npos) << o.err;
  folder_.write("one", "the cat\n");
  expect(run({path("one")}), 3, "one:1");
  expect(run({"--src", path("pairs"), "--tgt", path("one")}), 3, "pairs:2");
  expect(run({"--src", path("one")}), 2, "--tgt");
}

}  // namespace
}  // namespace fovea
