// fovea explain --faithfulness, as a user runs it.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/command.h"
#include "support/effort.h"
#include "support/model_folder.h"
#include "support/temp_folder.h"
#include "support/tiny_models.h"
#include "support/well_formed.h"

namespace fovea {
namespace {

using namespace fovea::testing;
using nlohmann::json;

Outcome fovea(const std::vector<std::string>& arguments) {
  return run_command(FOVEA_COMMAND_PATH, arguments);
}

// Texts in which one word decides, and classifiers of them.
class LongFaithfulnessCommand : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TempFolder;
    make("train", "train", "1500");
    make("valid", "test", "100");
    make("test", "test", "300");
    train("mlp", "classify-mlp-attention");
    train("bilstm", "classify-bilstm-attention");
  }
  static void TearDownTestSuite() { delete folder_; }

  static void make(const std::string& name, const std::string& part,
                   const std::string& lines) {
    const Outcome made = fovea({"make-data", "evidence", "--part", part,
                                "--lines", lines, "--out", path(name)});
    ASSERT_EQ(made.code, 0) << made.err;
  }
  // Where outputs are as good as certain other weights give the same ones, so
  // labels are smoothed.
  static void train(const std::string& name, const std::string& preset) {
    const Outcome trained = fovea({"train",
                                   "--task",
                                   "classify",
                                   "--threads",
                                   "1",
                                   "--preset",
                                   preset,
                                   "--width",
                                   "32",
                                   "--train",
                                   path("train.tsv"),
                                   "--valid",
                                   path("valid.tsv"),
                                   "--out",
                                   path(name),
                                   "--max-epochs",
                                   "6",
                                   "--lr",
                                   "0.005",
                                   "--batch-tokens",
                                   "200",
                                   "--label-smoothing",
                                   "0.1"});
    ASSERT_EQ(trained.code, 0) << trained.err;
  }
  static std::string path(const std::string& name) {
    return folder_->file(name);
  }
  static Outcome test(const std::string& model,
                      const std::vector<std::string>& more = {}) {
    std::vector<std::string> all = {"explain",        "--faithfulness",
                                    path("test.tsv"), path(model),
                                    "--texts",        "60"};
    all.insert(all.end(), more.begin(), more.end());
    return fovea(all);
  }

  // What stands below a map, and what is said beside it, in one line.
  static std::string caption(const std::string& model) {
    const Outcome run =
        run_command(FOVEA_COMMAND_PATH, {"explain", path(model)},
                    "cut -f2 " + path("test.tsv") + " | head -1 |");
    EXPECT_EQ(run.code, 0) << run.err;
    std::string text = run.out;
    std::ranges::replace(text, '\n', ' ');
    return text;
  }

  inline static TempFolder* folder_ = nullptr;
};

// SPEC G11: attention over words that are looked at one by one finds the
// evidence, and the report says so.
TEST_F(LongFaithfulnessCommand, FindsThatTokenwiseAttentionIsFaithful) {
  const Outcome found = test("mlp", {"--evidence", path("test.align"), "--json",
                                     path("mlp.json"), "--save"});
  ASSERT_EQ(found.code, 0) << found.err;
  const json all = json::parse(bytes_of(path("mlp.json")));
  const json& s = all["summary"];
  EXPECT_GE(s["accuracy"], 99.0);
  EXPECT_GE(s["evidence"], 0.98);
  EXPECT_GE(s["gradient"]["same-top"], 0.9);
  EXPECT_GE(s["erasure"]["same-top"], 0.9);
  EXPECT_GE(s["states"]["same-top"], 0.9);
  EXPECT_TRUE(all["cases"][0]["states"]["tau"].is_number());
  EXPECT_NE(found.out.find("gradient x state"), std::string::npos);
  EXPECT_LE(s["integrated-error"], 0.01);
  EXPECT_LE(s["adversary-far"], 0.2);
  EXPECT_EQ(all["cases"].size(), 60u);
  EXPECT_NE(found.out.find("may be read as an explanation"), std::string::npos)
      << found.out;
  EXPECT_NE(found.out.find("belongs to its token alone"), std::string::npos);
  EXPECT_TRUE(std::filesystem::exists(path("mlp") + "/faithfulness.json"));
  const std::string said = caption("mlp");
  EXPECT_NE(said.find("Tested on 60 texts"), std::string::npos) << said;
  // Other weights in the same folder were not tested.
  std::filesystem::copy(path("bilstm"), path("other"));
  std::filesystem::copy_file(path("mlp") + "/faithfulness.json",
                             path("other") + "/faithfulness.json");
  const std::string other = caption("other");
  EXPECT_EQ(other.find("Tested on"), std::string::npos) << other;
  EXPECT_NE(other.find("was not tested"), std::string::npos) << other;
}

TEST_F(LongFaithfulnessCommand, KnowsTheLayerAndTheHeadOfAClassifier) {
  EXPECT_EQ(test("mlp", {"--layer", "foo"}).code, 2);
  EXPECT_EQ(test("mlp", {"--head", "5"}).code, 2);
  EXPECT_EQ(test("mlp", {"--train", path("train.tsv"), "--epochs", "0"}).code,
            2);
}

TEST_F(LongFaithfulnessCommand, GivesTheSameWithAnyNumberOfThreads) {
  const std::vector<std::string> quick = {"--adversary-steps", "30"};
  std::vector<std::string> one = {"--threads", "1"}, two = {"--threads", "2"};
  one.insert(one.end(), quick.begin(), quick.end());
  two.insert(two.end(), quick.begin(), quick.end());
  const Outcome a = test("bilstm", one), b = test("bilstm", two);
  ASSERT_EQ(a.code, 0) << a.err;
  EXPECT_EQ(a.out, b.out);
}

TEST_F(LongFaithfulnessCommand, TrainsAgainWhenGivenTheTrainingText) {
  const Outcome found = test(
      "bilstm", {"--train", path("train.tsv"), "--epochs", "4", "--lr", "0.005",
                 "--batch-tokens", "100", "--seeds", "2", "--lambdas", "0,0.1",
                 "--adversary-steps", "50", "--json", path("again.json")});
  ASSERT_EQ(found.code, 0) << found.err;
  const json all = json::parse(bytes_of(path("again.json")));
  EXPECT_EQ(all["retrained"].size(), 2u + 4 + 2 + 1);
  const json& s = all["summary"];
  EXPECT_GE(s["again"], 90.0);
  EXPECT_GE(s["tokens-learned"], 90.0);
  EXPECT_EQ(s["lambdas"].size(), 2u);
  EXPECT_LE(s["trained-distance"][0], 0.1);  // imitation alone
  EXPECT_NE(found.out.find("Uniform weights: trained again"),
            std::string::npos);
}

TEST(FaithfulnessCommand, TestsASequenceModelAndSaysWhatItDoesNot) {
  const TempFolder folder;
  const std::string model = folder.file("model");
  write_tiny_folder(model, tiny_models().front().config, 3);
  const std::string pairs = folder.write("pairs.tsv", "a b c\tb c\nc a\ta\n");
  const Outcome found =
      fovea({"explain", "--faithfulness", pairs, model, "--adversary-steps",
             "5", "--restarts", "2", "--integrated-steps", "2", "--svg",
             folder.file("a.svg"), "--html", folder.file("a.html")});
  ASSERT_EQ(found.code, 0) << found.err;
  EXPECT_EQ(xml_fault(bytes_of(folder.file("a.svg"))), "");
  const std::string page = bytes_of(folder.file("a.html"));
  EXPECT_NE(page.find("You may not say"), std::string::npos);
  EXPECT_NE(page.find("<svg"), std::string::npos);
  EXPECT_NE(found.out.find("classifiers only"), std::string::npos);
  EXPECT_NE(found.out.find("output words"), std::string::npos);
}

TEST(FaithfulnessCommand, TellsWhatIsWrong) {
  const TempFolder folder;
  const std::string model = folder.file("model");
  write_tiny_folder(model, tiny_models().front().config, 3);
  const std::string none = folder.write("none", "no tab here\n");
  const Outcome bad = fovea({"explain", "--faithfulness", none, model});
  EXPECT_EQ(bad.code, 3);
  EXPECT_NE(bad.err.find("source, tab, target"), std::string::npos);
  const Outcome layer =
      fovea({"explain", "--faithfulness", folder.write("p", "a\tb\n"), model,
             "--layer", "nothing"});
  EXPECT_EQ(layer.code, 2) << layer.err;
  // A test that is not run must not seem to have found something.
  const std::vector<std::vector<std::string>> wrong = {
      {"--permutations", "0"}, {"--threshold", "-1"}, {"--threshold", "2"},
      {"--restarts", "0"},     {"--head", "99"},      {"--head", "-2"}};
  for (const auto& flags : wrong) {
    std::vector<std::string> all = {"explain", "--faithfulness",
                                    folder.file("p"), model};
    all.insert(all.end(), flags.begin(), flags.end());
    const Outcome run = fovea(all);
    EXPECT_EQ(run.code, 2) << flags[0] << " " << flags[1] << run.err;
  }
  EXPECT_EQ(fovea({"explain", "--faithfulness", none, folder.file("no")}).code,
            3);
}

}  // namespace
}  // namespace fovea
