// The command fovea attend, as its users run it.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "support/command.h"

namespace fovea {
namespace {

using testing::Outcome;

Outcome attend(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "attend");
  return testing::run_command(FOVEA_COMMAND_PATH, arguments);
}

void expect_says(const Outcome& outcome, const std::string& text) {
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find(text), std::string::npos) << outcome.out;
}

void expect_usage(const Outcome& outcome, const std::string& text) {
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find(text), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.out, "");
}

class Files : public ::testing::Test {
 protected:
  // Tests run at the same time: each has a folder of its own.
  Files()
      : folder_(
            ::testing::TempDir() + "attend_" +
            ::testing::UnitTest::GetInstance()->current_test_info()->name()) {
    std::filesystem::create_directories(folder_);
  }
  ~Files() override { std::filesystem::remove_all(folder_); }
  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ + "/" + name, std::ios::binary) << text;
    return folder_ + "/" + name;
  }
  std::string folder_;
};

TEST(AttendCommand, WeighsABoxByItsNeighbours) {  // SPEC A10
  expect_says(attend({"--example", "boxes"}),
              "The box weighs about 36.0 pounds.");
  expect_says(attend({"--example", "boxes", "--query", "300"}), "30.0 pounds");
  expect_says(attend({"--example", "boxes", "--query", "350"}), "35.0 pounds");
  expect_says(attend({"--example", "boxes", "--normaliser", "softmax"}),
              "35.0 pounds");
}

TEST(AttendCommand, LooksUpAPhoneNumber) {  // SPEC A9
  expect_says(attend({"--example", "phonebook"}), "Bob Smith: 555-5678\n");
  expect_says(attend({"--example", "phonebook", "--query", "Eve Clark"}),
              "Eve Clark: 555-3456\n");
  expect_says(attend({"--example", "phonebook", "--query", "Eve Clarke"}),
              "Eve Clarke: not found (did you mean 'Eve Clark'?)\n");
}

TEST(AttendCommand, ScalesScores) {  // SPEC A11
  const Outcome scaled = attend({"--example", "scores", "--json"});
  ASSERT_EQ(scaled.code, 0) << scaled.err;
  const auto head = nlohmann::json::parse(scaled.out)["heads"][0];
  EXPECT_NEAR(head["scores"][0][0].get<double>(), 14, 1e-5);
  EXPECT_NEAR(head["scores"][0][1].get<double>(), 12, 1e-5);
  EXPECT_NEAR(head["weights"][0][0].get<double>(), 0.8807970780, 1e-6);
  EXPECT_NEAR(head["weights"][0][1].get<double>(), 0.1192029220, 1e-6);
  const Outcome raw =
      attend({"--example", "scores", "--score", "dot", "--json"});
  const auto unscaled = nlohmann::json::parse(raw.out)["heads"][0];
  EXPECT_NEAR(unscaled["scores"][0][0].get<double>(), 112, 1e-4);
  EXPECT_NEAR(unscaled["weights"][0][1].get<double>(), 1.1253e-7, 1e-10);
}

TEST(AttendCommand, ShowsTheSixSteps) {
  const Outcome steps = attend({"--example", "scores", "--steps"});
  for (const char* step : {"1. project", "2. score", "3. scale", "4. softmax",
                           "5. weigh the values", "6. sum"}) {
    expect_says(steps, step);
  }
  expect_says(steps, "112 ");
  expect_says(steps, "0.8808");
}

TEST(AttendCommand, MeasuresTheVarianceOfDotProducts) {  // SPEC A12
  const Outcome outcome = attend({"--example", "variance"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  double mean = 99, variance = 0;
  const size_t at = outcome.out.find("mean ");
  ASSERT_NE(at, std::string::npos);
  ASSERT_EQ(sscanf(outcome.out.c_str() + at, "mean %lf, variance %lf", &mean,
                   &variance),
            2);
  EXPECT_LT(std::abs(mean), 0.57);
  EXPECT_GT(variance, 188.6);
  EXPECT_LT(variance, 211.4);
}

TEST(AttendCommand, ShowsOneWordsWeights) {  // SPEC A13b
  const Outcome outcome = attend({"--example", "bird", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto all = nlohmann::json::parse(outcome.out);
  const auto row = all["heads"][0]["weights"][0].get<std::vector<double>>();
  ASSERT_EQ(row.size(), 6u);
  EXPECT_EQ(row[2], 0);  // itself
  EXPECT_NEAR(row[0] + row[1] + row[3] + row[4] + row[5], 1, 1e-6);
  EXPECT_EQ(all["queries"], (std::vector<std::string>{"bird"}));
  expect_says(attend({"--example", "bird", "--query", "worm"}), "worm |");
}

TEST(AttendCommand, ShowsWhatPositionsAreFor) {  // SPEC C1
  const Outcome outcome = attend({"--example", "order"});
  expect_says(outcome, "alike: a question and a statement");
  expect_says(outcome, "different: the order can be told");
  for (const char* position : {"learned", "alibi", "relative", "rope"}) {
    expect_says(attend({"--example", "order", "--position", position}),
                "different: the order can be told");
  }
}

TEST(AttendCommand, ListsEveryMechanism) {
  const Outcome outcome = attend({"--list"});
  for (const char* name :
       {"scaled_dot", "inverse_distance", "location_tutorial", "local_p",
        "entmax15", "hard_reinforce", "gated", "rope", "pooling", "lstmn",
        "pointer", "phonebook"}) {
    expect_says(outcome, std::string("\n  ") + name + " ");
  }
}

TEST_F(Files, AreReadWrittenAndShown) {
  const std::string queries = write("q.csv", "a,1,0\nb,0,1\n");
  const std::string keys = write("k.csv", "1,0\n0,2\n1,1\n");
  const std::string svg = folder_ + "/w.svg";
  const Outcome outcome = attend(
      {"--queries", queries, "--keys", keys, "--score", "dot", "--svg", svg});
  expect_says(outcome, "k2");
  std::ifstream in(svg);
  std::string picture((std::istreambuf_iterator<char>(in)), {});
  EXPECT_NE(picture.find("<svg"), std::string::npos);
  const std::string vectors =
      write("v.vec", "3 2\nthe 1 0\nbird 0 1\nworm 1 1\n");
  expect_says(attend({"--words", "the bird", "--embedding", vectors, "--heads",
                      "2", "--project"}),
              "head 1");
}

TEST_F(Files, ThatAreWrongAreNamed) {
  const std::string bad = write("q.csv", "1,2\n3\n");
  const Outcome outcome = attend({"--queries", bad});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_NE(outcome.err.find("q.csv:2: 1 numbers"), std::string::npos)
      << outcome.err;
  EXPECT_EQ(attend({"--queries", folder_ + "/none.csv"}).code, 3);
  const Outcome folder = attend({"--queries", folder_});
  EXPECT_EQ(folder.code, 3);
  EXPECT_NE(folder.err.find("is a folder"), std::string::npos) << folder.err;
  const std::string good = write("q2.csv", "1,2\n");
  EXPECT_EQ(attend({"--queries", good, "--svg", folder_ + "/no/w.svg"}).code,
            1);
  const std::string three = write("v.csv", "1\n2\n3\n");
  EXPECT_EQ(attend({"--queries", good, "--values", three}).code, 3);
}

TEST_F(Files, ShowsEveryQueryUnderCoverage) {
  const std::string queries = write("q.csv", "1,0\n0,1\n1,1\n");
  const std::string keys = write("k.csv", "1,0\n0,2\n");
  const Outcome outcome =
      attend({"--queries", queries, "--keys", keys, "--score", "additive",
              "--coverage", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto head = nlohmann::json::parse(outcome.out)["heads"][0];
  ASSERT_EQ(head["weights"].size(), 3u);
  for (const auto& row : head["weights"]) {
    EXPECT_NEAR(row[0].get<double>() + row[1].get<double>(), 1, 1e-5);
  }
}

// The first queries stand before the first key.
TEST_F(Files, TakesMoreCausalQueriesThanKeys) {
  const std::string queries = write("q.csv", "1,0\n0,1\n1,1\n");
  const std::string keys = write("k.csv", "1,0\n0,2\n");
  const Outcome outcome = attend({"--queries", queries, "--keys", keys,
                                  "--causal", "--exclude-self", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto weights =
      nlohmann::json::parse(outcome.out)["heads"][0]["weights"];
  EXPECT_EQ(weights[0][0], 0);
  EXPECT_EQ(weights[2][0], 1);
}

TEST(AttendCommand, RefusesWhatMakesNoSense) {
  expect_usage(attend({}), "nothing to attend to");
  expect_usage(attend({"--example", "brid"}), "(did you mean 'bird'?)");
  expect_usage(attend({"--example", "bird", "--score", "scaled_dto"}),
               "(did you mean 'scaled_dot'?)");
  expect_usage(attend({"--example", "bird", "--normaliser", "sum"}),
               "score scaled_dot and normaliser sum do not go together");
  expect_usage(attend({"--example", "bird", "--query", "cat"}),
               "no query is named 'cat'");
  expect_usage(attend({"--words", "a b"}), "--words and --embedding");
  expect_usage(attend({"--example", "bird", "--options", "window=3"}),
               "no part of this attention has an option 'window'");
  expect_usage(attend({"--example", "order", "--json"}), "prints text only");
}

}  // namespace
}  // namespace fovea
