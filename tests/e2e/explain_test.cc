// fovea explain, as a user runs it.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "support/command.h"
#include "support/temp_folder.h"
#include "support/translator_folder.h"
#include "support/well_formed.h"

namespace fovea {
namespace {

using namespace fovea::testing;
using nlohmann::json;

std::string contents(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream all;
  all << in.rdbuf();
  return all.str();
}

class ExplainCommand : public ::testing::Test {
 protected:
  static Outcome explain(const std::string& text,
                         std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "explain");
    return run_command(FOVEA_COMMAND_PATH, arguments,
                       "printf '" + text + "' |");
  }
  std::string path(const std::string& name) const { return folder_.file(name); }

  const TempFolder folder_;
};

TEST_F(ExplainCommand, ShowsWhereTheModelInTheBoxLooks) {
  const Outcome run = explain("I see a cat.\\n", {});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_NE(run.out.find("-> "), std::string::npos);
  EXPECT_NE(run.out.find("decoder.layer.1.cross"), std::string::npos);
  EXPECT_NE(run.out.find("not by itself an explanation"), std::string::npos);
}

TEST_F(ExplainCommand, WritesFilesThatAgree) {
  const Outcome run = explain(
      "I see a cat.\\tJe vois un chat.\\n",
      {"--svg", path("a.svg"), "--csv", path("a.csv"), "--json", path("a.json"),
       "--html", path("a.html"), "--png", path("a.png"), "--no-words"});
  ASSERT_EQ(run.code, 0) << run.err;
  const json document = json::parse(contents(path("a.json")));
  EXPECT_EQ(document["target"]["text"], "Je vois un chat.");
  // Every number of the CSV is that of the document, and the picture tells it.
  const std::string svg = contents(path("a.svg"));
  EXPECT_EQ(xml_fault(svg), "");
  std::istringstream csv(contents(path("a.csv")));
  std::string line;
  std::getline(csv, line);
  int count = 0;
  while (std::getline(csv, line)) {
    std::istringstream fields(line);
    std::string map, row, column;
    std::getline(fields, map, ',');
    std::getline(fields, row, ',');
    std::getline(fields, column, ',');
    const double value = std::stod(line.substr(line.rfind(',') + 1));
    EXPECT_NEAR(
        value,
        document["alignment"]["weights"][std::stoul(row)][std::stoul(column)]
            .get<double>(),
        1e-6);
    ++count;
  }
  EXPECT_EQ(count, std::ssize(document["target"]["tokens"]) *
                       std::ssize(document["source"]["tokens"]));
  const std::string page = contents(path("a.html"));
  EXPECT_NE(page.find("Je vois un chat."), std::string::npos);
  EXPECT_EQ(contents(path("a.png")).substr(1, 3), "PNG");
}

TEST_F(ExplainCommand, PutsNoScriptOfATokenIntoThePage) {
  const Outcome run = explain("</script><script>alert(1)</script>\\tx\\n",
                              {"--html", path("a.html")});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(contents(path("a.html")).find("<script>alert"), std::string::npos);
}

TEST_F(ExplainCommand, ContrastsTwoSentences) {
  const Outcome run =
      explain("He is a nurse.\\n", {"--contrast", "She is a nurse."});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_NE(run.out.find("He/She"), std::string::npos);
  std::string words = run.out;  // lines are broken anywhere
  std::ranges::replace(words, '\n', ' ');
  EXPECT_NE(words.find("no proof of a cause"), std::string::npos);
}

TEST_F(ExplainCommand, ShowsEveryViewOfEveryKindOfModel) {
  for (const char* kind : {"transformer", "rnnsearch", "bottleneck"}) {
    const std::string model = write_model_folder(path(kind), {.kind = kind});
    for (const char* view : {"alignment", "heads", "model", "neuron", "rollout",
                             "fovea", "composition", "steps", "statistics"}) {
      const Outcome run =
          explain("the cat\\tder Hund\\n", {model, "--view", view});
      // What a model has not is a wrong wish, said in one line.
      EXPECT_TRUE(run.code == 0 || run.code == 2) << kind << " " << view;
      if (std::string(kind) == "transformer") {
        EXPECT_EQ(run.code, 0) << view << run.err;
      }
      if (run.code == 2) {
        EXPECT_NE(run.err.find("no "), std::string::npos) << run.err;
        EXPECT_EQ(run.err.find('\n'), run.err.size() - 1) << run.err;
      }
    }
  }
}

TEST_F(ExplainCommand, ShowsGatesOfAModelThatHasThem) {
  const std::string gated =
      write_model_folder(path("gated"), {.kind = "transformer_gated"});
  const Outcome run = explain("the cat\\tder Hund\\n",
                              {gated, "--view", "gates", "--csv", path("g.csv"),
                               "--json", path("g.json")});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_NE(run.out.find("Gates"), std::string::npos) << run.out;
  const json gates = json::parse(contents(path("g.json")))["gates"];
  ASSERT_FALSE(gates.empty());
  const std::string csv = contents(path("g.csv"));
  for (const json& probability : gates[0]["probability"]) {
    EXPECT_GT(probability, 0.0);
    EXPECT_LT(probability, 1.0);
  }
  EXPECT_NE(csv.find("probability"), std::string::npos) << csv;
  const std::string plain = write_model_folder(path("plain"));
  EXPECT_EQ(explain("the cat\\tder Hund\\n", {plain, "--view", "gates"}).code,
            2);
}

TEST_F(ExplainCommand, RefusesWhatItCannotShow) {
  EXPECT_EQ(explain("", {}).code, 3);
  EXPECT_EQ(explain("a\\nb\\n", {"--svg", path("a.svg")}).code, 2);
  EXPECT_EQ(explain("a\\n", {"--view", "nothing"}).code, 2);
  EXPECT_EQ(explain("a\\n", {"--layer", "nothing"}).code, 2);
  EXPECT_EQ(explain("a\\n", {"--head", "99"}).code, 2);
  EXPECT_EQ(explain("a\\n", {path("none")}).code, 3);
  EXPECT_EQ(explain("a b\\n", {"--contrast", "c d"}).code, 2);
  EXPECT_EQ(explain("a\\n", {"--beside", "box"}).code, 2);
  EXPECT_EQ(explain("a\\n", {"--save"}).code, 2);
  EXPECT_EQ(
      explain("a\\n", {"--faithfulness", path("x"), "--html", path("y")}).code,
      2);
}

}  // namespace
}  // namespace fovea
