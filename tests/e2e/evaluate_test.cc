// The command fovea evaluate, as its users run it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "fovea/base/version.h"
#include "support/command.h"
#include "support/elephants.h"
#include "support/temp_folder.h"

namespace fovea {
namespace {

using nlohmann::json;
using testing::Outcome;

std::string text_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

class EvaluateCommand : public ::testing::Test {
 protected:
  Outcome evaluate(std::vector<std::string> arguments,
                   const std::string& before = "") {
    arguments.insert(arguments.begin(), "evaluate");
    return testing::run_command(FOVEA_COMMAND_PATH, arguments, before);
  }
  json json_of(std::vector<std::string> arguments) {
    arguments.push_back("--json");
    const Outcome outcome = evaluate(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return json::parse(outcome.out);
  }
  void expect_complaint(const Outcome& outcome, int code,
                        const std::string& text) {
    EXPECT_EQ(outcome.code, code) << outcome.err;
    EXPECT_NE(outcome.err.find(text), std::string::npos) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1);
    EXPECT_EQ(outcome.out, "");
  }

  testing::TempFolder folder_;
  const std::string output_ =
      folder_.write("out.en", text_of(testing::kElephantsOutput));
  const std::string a_ = folder_.write("a.en", text_of(testing::kElephantsA));
  const std::string b_ = folder_.write("b.en", text_of(testing::kElephantsB));
};

TEST_F(EvaluateCommand, PrintsBleuAsSacreBleuDoes) {
  const Outcome outcome = evaluate({"--ref", a_, output_});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out,
            "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:fovea." +
                version() +
                " = 53.15 85.7/68.0/50.0/31.6 (BP = 0.965 ratio = 0.966 "
                "hyp_len = 28 ref_len = 29)\n");
  EXPECT_EQ(outcome.err, "");
}

TEST_F(EvaluateCommand, TakesSeveralReferencesAndMetrics) {
  const json all = json_of({"--ref", a_, "--ref", b_, output_, "--metric",
                            "bleu,chrf,chrf++", "-m", "ter"});
  const json& system = all["systems"][0];
  EXPECT_EQ(system["name"], output_);
  EXPECT_EQ(system["lines"], 3);
  ASSERT_EQ(system["metrics"].size(), 4u);
  EXPECT_NEAR(system["metrics"][0]["score"].get<double>(), 73.426022, 1e-6);
  EXPECT_EQ(system["metrics"][0]["details"]["matches"],
            (std::vector<double>{27, 21, 15, 10}));
  EXPECT_NEAR(system["metrics"][1]["score"].get<double>(), 72.471641, 1e-6);
  EXPECT_NEAR(system["metrics"][2]["score"].get<double>(), 73.779305, 1e-6);
  EXPECT_EQ(system["metrics"][3]["name"], "TER");
  EXPECT_EQ(
      system["metrics"][3]["signature"].get<std::string>().find("nrefs:2"), 0u);
}

TEST_F(EvaluateCommand, ReadsStandardInput) {
  for (const std::vector<std::string>& rest :
       {std::vector<std::string>{"-"}, std::vector<std::string>{}}) {
    std::vector<std::string> arguments{"--ref", a_};
    arguments.insert(arguments.end(), rest.begin(), rest.end());
    const Outcome outcome = evaluate(arguments, "cat '" + output_ + "' |");
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find(" = 53.15 "), std::string::npos);
  }
}

TEST_F(EvaluateCommand, ScoresEachLine) {
  const Outcome outcome = evaluate({"--ref", a_, "--ref", b_, output_,
                                    "--metric", "bleu,chrf", "--sentence"});
  EXPECT_EQ(outcome.out,
            "line\tBLEU\tchrF2\n1\t59.69\t73.71\n2\t78.56\t69.01\n"
            "3\t80.34\t76.27\n");
  const json all = json_of({"--ref", a_, "--ref", b_, output_, "--sentence"});
  EXPECT_NEAR(all["systems"][0]["metrics"][0]["sentences"][2].get<double>(),
              80.342842, 1e-6);
}

TEST_F(EvaluateCommand, ComparesSystemsWithTheFirst) {
  std::string good, bad, truth;
  for (int i = 0; i < 200; ++i) {
    const std::string n = std::to_string(i);
    truth += "the cat number " + n + " sat on the mat\n";
    good += "the cat number " + n + " sat on a mat\n";
    bad += i % 2 == 0 ? "the cat number " + n + " sat on a mat\n"
                      : "a cat of " + n + " sits\n";
  }
  const std::string ref = folder_.write("ref", truth),
                    one = folder_.write("one", bad),
                    two = folder_.write("two", good);
  const Outcome outcome =
      evaluate({"--ref", ref, one, two, one, "--metric", "bleu,ter"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (const char* part : {"|bs:1000|seed:12345\n", "\nTER|", "* p < 0.05"}) {
    EXPECT_NE(outcome.out.find(part), std::string::npos) << outcome.out;
  }
  for (const char* test : {"bootstrap", "randomisation"}) {
    const json all =
        json_of({"--ref", ref, one, two, "--paired", test, "--metric",
                 "bleu,ter,exact", "--samples", "200"});
    EXPECT_FALSE(all["systems"][0]["metrics"][0].contains("p"));
    const json& bleu = all["systems"][1]["metrics"][0];
    EXPECT_LT(bleu["p"].get<double>(), 0.01);
    EXPECT_GT(bleu["difference"].get<double>(), 1);
    EXPECT_LT(all["systems"][1]["metrics"][1]["difference"].get<double>(), -1);
  }
}

TEST_F(EvaluateCommand, KnowsTheOtherMetrics) {
  const std::string out = folder_.write("o", "the sat mat\n1999-01-02\n"),
                    ref = folder_.write("r", "the cat sat\n1999-01-02\n");
  const json all = json_of({"-r", ref, out, "-m", "wer,cer,accuracy,exact"});
  const json& metrics = all["systems"][0]["metrics"];
  EXPECT_NEAR(metrics[0]["score"].get<double>(), 50, 1e-9);
  EXPECT_EQ(metrics[0]["details"]["S"], 2);
  EXPECT_NEAR(metrics[2]["score"].get<double>(), 50, 1e-9);
  EXPECT_NEAR(metrics[3]["score"].get<double>(), 50, 1e-9);
  const std::string links = folder_.write("l", "0-0 2-1 2-2\n"),
                    truth = folder_.write("t", "0-0 1-1 2?1\n");
  EXPECT_NE(evaluate({"-r", truth, links, "-m", "aer"})
                .out.find(" = 40.00 (precision = 66.67 recall = 50.00"),
            std::string::npos);
  const std::string logs = folder_.write("p", "-0.69314718 -1.38629436\n");
  EXPECT_NE(evaluate({logs, "-m", "perplexity", "--digits", "4"})
                .out.find("|version:fovea." + version() + " = 2.8284 "),
            std::string::npos);
  const std::string labels = folder_.write("x", "a\t0.8\nb\t0.8\n"),
                    gold = folder_.write("y", "a\tnice\na\tgood\n");
  EXPECT_NE(evaluate({"-r", gold, labels, "-m", "f1,ece"}).out.find("ECE|"),
            std::string::npos);
}

TEST_F(EvaluateCommand, ListsItsMetrics) {
  const Outcome outcome = evaluate({"--list"});
  EXPECT_EQ(outcome.code, 0);
  for (const char* name : {"bleu ", "multi-bleu ", "aer ", "perplexity "}) {
    EXPECT_NE(outcome.out.find(name), std::string::npos);
  }
}

TEST_F(EvaluateCommand, NamesBothCountsOfLinesThatDiffer) {
  const std::string two = folder_.write("two.en", "a\nb\n");
  expect_complaint(evaluate({"--ref", a_, two}), 3,
                   two + " has 2 lines but " + a_ + " has 3");
  const std::string p = folder_.write("p", "-1\n"),
                    q = folder_.write("q", "-1\n-2\n");
  expect_complaint(evaluate({p, q, "-m", "perplexity"}), 3,
                   q + " has 2 lines but " + p + " has 1");
}

TEST_F(EvaluateCommand, RefusesBadData) {
  const std::string latin = folder_.write("latin",
                                          "a\nGr\xf6\xdf"
                                          "e\nc\n");
  expect_complaint(evaluate({"--ref", a_, latin}), 3, latin + ":2: ");
  expect_complaint(evaluate({"--ref", a_, folder_.file("none")}), 3, "none");
  expect_complaint(evaluate({"--ref", folder_.write("empty", ""), output_}), 3,
                   "there are no lines");
  const std::string links = folder_.write("l", "0-0\n0-0 1\n");
  expect_complaint(evaluate({"--ref", links, links, "-m", "aer"}), 3,
                   links + ":2: '1' is not a link");
}

TEST_F(EvaluateCommand, RefusesWhatMakesNoSense) {
  expect_complaint(evaluate({output_}), 2, "BLEU needs a reference");
  expect_complaint(evaluate({"--ref", a_, output_, "-m", "blue"}), 2,
                   "(did you mean 'bleu'?)");
  expect_complaint(evaluate({"--ref", "-", "-"}), 2, "only once");
  expect_complaint(evaluate({"--ref", a_, output_, b_, "--sentence"}), 2,
                   "--sentence takes one output");
  expect_complaint(evaluate({"--ref", a_, output_, "--digits", "99"}), 2,
                   "--digits 99");
}

TEST_F(EvaluateCommand, WarnsOfTokenizedText) {
  std::string tokenized;
  for (int i = 0; i < 120; ++i) tokenized += "a b c d .\n";
  const std::string file = folder_.write("tok", tokenized);
  EXPECT_NE(evaluate({"--ref", file, file}).err.find("--metric multi-bleu"),
            std::string::npos);
  EXPECT_EQ(evaluate({"--ref", file, file, "-m", "multi-bleu"}).err, "");
}

}  // namespace
}  // namespace fovea
