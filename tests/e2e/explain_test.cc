// fovea explain, as a user runs it.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
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
  EXPECT_TRUE(document["from_word"].is_null());
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

// What a model has not is a wrong wish, said in one line.
TEST_F(ExplainCommand, ShowsEveryViewThatAModelHas) {
  const std::vector<std::string> views = {
      "alignment", "heads",       "model", "neuron",    "rollout",
      "fovea",     "composition", "steps", "statistics"};
  const std::vector<std::string> without_vectors = {
      "alignment", "heads", "model", "fovea", "steps", "statistics"};
  const std::map<std::string, std::vector<std::string>> shown = {
      {"transformer", views},
      {"rnnsearch", without_vectors},
      {"bottleneck", {}}};
  for (const auto& [kind, has] : shown) {
    const std::string model = write_model_folder(path(kind), {.kind = kind});
    for (const std::string& view : views) {
      const Outcome run =
          explain("the cat\\tder Hund\\n", {model, "--view", view});
      const bool wanted = std::ranges::count(has, view) > 0;
      EXPECT_EQ(run.code, wanted ? 0 : 2) << kind << " " << view << run.err;
      if (run.code != 2) continue;
      EXPECT_NE(run.err.find("no "), std::string::npos) << run.err;
      EXPECT_EQ(run.err.find('\n'), run.err.size() - 1) << run.err;
    }
  }
}

// SPEC E17: with and without attention, side by side.
TEST_F(ExplainCommand, WritesDocumentsOfAModelWithoutAttention) {
  const std::string none =
      write_model_folder(path("none"), {.kind = "bottleneck"});
  const std::string some =
      write_model_folder(path("some"), {.kind = "rnnsearch"});
  const Outcome alone =
      explain("the cat\\tder Hund\\n",
              {none, "--html", path("a.html"), "--json", path("a.json")});
  ASSERT_EQ(alone.code, 0) << alone.err;
  EXPECT_NE(alone.out.find("no attention"), std::string::npos) << alone.out;
  const json document = json::parse(contents(path("a.json")));
  EXPECT_TRUE(document["alignment"].is_null());
  EXPECT_EQ(document["target"]["text"], "der Hund");
  EXPECT_FALSE(contents(path("a.html")).empty());
  const Outcome both =
      explain("the cat\\n", {none, "--beside", some, "--html", path("b.html")});
  EXPECT_EQ(both.code, 0) << both.err;
  EXPECT_FALSE(contents(path("b.html")).empty());
  EXPECT_EQ(explain("the cat\\n", {none, "--svg", path("c.svg")}).code, 2);
}

// Only the mean of one layer of the model in the box was tested.
TEST_F(ExplainCommand, ClaimsTestsForWhatWasTestedOnly) {
  const auto claims = [&](std::vector<std::string> more) {
    more.insert(more.end(), {"--svg", path("a.svg")});
    const Outcome run = explain("I see a cat.\\n", more);
    EXPECT_EQ(run.code, 0) << run.err;
    const bool text = run.out.find("Tested on") != std::string::npos;
    const std::string svg = contents(path("a.svg"));
    EXPECT_EQ(svg.find("Tested on") != std::string::npos, text);
    EXPECT_NE(run.out.find("not by itself"), std::string::npos);
    return text;
  };
  EXPECT_TRUE(claims({}));
  EXPECT_TRUE(claims({"--view", "steps"}));
  EXPECT_FALSE(claims({"--head", "0"}));
  EXPECT_FALSE(claims({"--layer", "encoder.layer.0.self"}));
  EXPECT_FALSE(claims({"--view", "heads"}));
  EXPECT_FALSE(claims({"--view", "rollout"}));
  EXPECT_FALSE(claims({"--contrast", "I see a dog."}));
  ASSERT_EQ(explain("I see.\\n", {"--json", path("a.json")}).code, 0);
  const json document = json::parse(contents(path("a.json")));
  EXPECT_EQ(document["tested"]["layer"], "decoder.layer.1.cross");
  EXPECT_EQ(document["tested"]["head"], -1);
  EXPECT_NE(document["tested"]["caution"].get<std::string>().find("Tested on"),
            std::string::npos);
  EXPECT_EQ(document["caution"].get<std::string>().find("Tested on"),
            std::string::npos);
  EXPECT_FALSE(document["faithfulness"]["not-allowed"].empty());
}

// Every number of a view is in its CSV, whatever the terminal has room for.
TEST_F(ExplainCommand, CsvHasAllDimensionsAndOneQueryIfAsked) {
  const std::string model = write_model_folder(path("m"));
  const auto lines = [&](std::vector<std::string> more) {
    more.insert(more.begin(), model);
    more.insert(more.end(), {"--csv", path("a.csv")});
    const Outcome run = explain("the cat\\tder Hund\\n", more);
    EXPECT_EQ(run.code, 0) << run.err;
    const std::string csv = contents(path("a.csv"));
    EXPECT_EQ(csv.find("rest"), std::string::npos);
    return std::ranges::count(csv, '\n');
  };
  EXPECT_EQ(lines({"--view", "neuron", "--dimensions", "1"}),
            lines({"--view", "neuron"}));
  EXPECT_LT(lines({"--view", "heads", "--token", "1"}),
            lines({"--view", "heads"}));
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
  // SPEC E11: a token behind a closed gate has no weight.
  EXPECT_NE(csv.find("mean weight"), std::string::npos) << csv;
  ASSERT_EQ(gates[0]["weight"].size(), gates[0]["open"].size());
  const bool any = std::ranges::count(gates[0]["open"], json(true)) > 0;
  for (size_t i = 0; i < gates[0]["open"].size(); ++i) {
    if (!any || gates[0]["open"][i]) continue;
    EXPECT_EQ(gates[0]["weight"][i], 0.0) << i;
  }
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
      explain("a\\n", {"--faithfulness", path("x"), "--csv", path("y")}).code,
      2);
}

TEST_F(ExplainCommand, RefusesFlagsThatDoNothing) {
  const std::vector<std::vector<std::string>> wrong = {
      {"--token", "99"},
      {"--token", "-7"},
      {"--head", "-5"},
      {"--view", "neuron", "--dimensions", "0"},
      {"--view", "heads", "--from-sentence", "-9"},
      {"--view", "heads", "--marks", "hide"},
      {"--view", "heads", "--token", "99"},
      {"--view", "model", "--token", "0"},
      {"--view", "statistics", "--layer", "decoder.layer.1.cross"},
      {"--view", "steps", "--layer", "encoder.layer.0.self"},
      {"--contrast", "b", "--token", "0"},
      {"--contrast", "b", "--from-word", "c"},
      {"--from-word", "a"},
  };
  for (const auto& flags : wrong) {
    const Outcome run = explain("a\\n", flags);
    EXPECT_EQ(run.code, 2) << flags[0] << " " << flags[1];
    EXPECT_EQ(run.err.find('\n'), run.err.size() - 1) << run.err;
  }
}

// A second sentence is noticed before the first one's files are written.
TEST_F(ExplainCommand, WritesNoFileOfTheFirstOfTwoSentences) {
  const Outcome run = explain("a\\nb\\n", {"--svg", path("a.svg")});
  EXPECT_EQ(run.code, 2);
  EXPECT_FALSE(std::filesystem::exists(path("a.svg")));
}

TEST_F(ExplainCommand, ContrastsFromAWordThatBothHave) {
  const Outcome run = explain(
      "It was tired.\\n", {"--contrast", "It was wide.", "--from-word", "it"});
  EXPECT_EQ(run.code, 2) << run.out;  // a word as it is written
  const Outcome found =
      explain("It was tired.\\n", {"--contrast", "It was wide.", "--from-word",
                                   "was", "--json", path("a.json")});
  ASSERT_EQ(found.code, 0) << found.err;
  EXPECT_NE(found.out.find("From 'was' with 'wide.'"), std::string::npos);
  EXPECT_NE(found.out.find("'tired.' less 'wide.'"), std::string::npos);
  for (const json& side : json::parse(contents(path("a.json")))) {
    EXPECT_EQ(side["from_word"], 1);
  }
}

TEST_F(ExplainCommand, WritesNoPageThatNoBrowserCanShow) {
  std::string words;
  for (int i = 0; i < 700; ++i) words += "a ";
  const Outcome run =
      explain(words + "\\t" + words + "\\n", {"--html", path("a.html")});
  EXPECT_EQ(run.code, 2);
  EXPECT_NE(run.err.find("10000000 that a page holds"), std::string::npos)
      << run.err;
  EXPECT_FALSE(std::filesystem::exists(path("a.html")));
}

TEST_F(ExplainCommand, HelpNamesTheViewsAndWhatIsRead) {
  const Outcome run = explain("", {"--help"});
  EXPECT_EQ(run.code, 0);
  EXPECT_NE(run.out.find("composition"), std::string::npos);
  EXPECT_NE(run.out.find("Standard input"), std::string::npos);
}

}  // namespace
}  // namespace fovea
