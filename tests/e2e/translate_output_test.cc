// What fovea translate writes: lists, alignments, scores, JSON.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "e2e/translate_command.h"

namespace fovea {
namespace {

using namespace fovea::testing;
using nlohmann::json;

TEST_F(TranslateCommand, WritesNBestListsAsMosesDoes) {
  folder_.write("in", "the cat sees\n\nmy dog\n");
  const Outcome o = translate({path("in"), "--n-best", "2", "--beam-size", "12",
                               "--alignment", "hard", "--word-scores"});
  ASSERT_EQ(o.code, 0) << o.err;
  const Texts lines = lines_of(o.out);
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_TRUE(lines[0].starts_with("0 ||| "));
  EXPECT_TRUE(lines[1].starts_with("0 ||| "));
  EXPECT_EQ(lines[2], "1 |||  |||  ||| WordScores= 0 ||| F0= 0 ||| 0");
  EXPECT_TRUE(lines[3].starts_with("2 ||| "));
  EXPECT_NE(lines[0].find(" ||| WordScores= -"), std::string::npos);
  EXPECT_NE(lines[0].find(" ||| F0= -"), std::string::npos);
}

TEST_F(TranslateCommand, AddsAlignmentAndScoresToALine) {
  folder_.write("in", "the cat\n");
  const std::string plain = lines_of(translate({path("in")}).out)[0];
  const std::string all = lines_of(
      translate({path("in"), "--alignment", "soft", "--with-score"}).out)[0];
  ASSERT_TRUE(all.starts_with(plain + " ||| ")) << all;
  const std::string rest = all.substr(plain.size() + 5);
  EXPECT_GT(std::count(rest.begin(), rest.end(), ','), 0);
  EXPECT_NE(rest.find(" ||| -"), std::string::npos) << rest;
}

TEST_F(TranslateCommand, JsonFieldsPassThroughAndWordsHaveCharacters) {
  folder_.write(
      "in",
      "{\"id\":7,\"text\":\"der Löwe sieht\",\"z\":{\"b\":1,\"a\":2}}\n"
      "\n"
      "{\"text\":\"the cat\",\"target_prefix\":\"a small dog\"}\n");
  const Outcome o =
      translate({path("in"), "--json", "--alignment", "hard", "--word-scores",
                 "--n-best", "2", "--beam-size", "12"});
  ASSERT_EQ(o.code, 0) << o.err;
  const Texts lines = lines_of(o.out);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_TRUE(
      lines[0].starts_with("{\"id\":7,\"text\":\"der Löwe sieht\","
                           "\"z\":{\"b\":1,\"a\":2},\"translation\":"))
      << lines[0];
  EXPECT_EQ(lines[1], "");
  const json first = json::parse(lines[0]);
  EXPECT_LT(first["score"], 0);
  EXPECT_TRUE(first["cut_off"].is_boolean());
  EXPECT_EQ(first["n_best"].size(), 2u);
  EXPECT_EQ(first["n_best"][0]["translation"], first["translation"]);
  const json& words = first["alignment"]["source"];
  ASSERT_EQ(words.size(), 3u);
  EXPECT_EQ(words[1], (json{{"word", "Löwe"}, {"begin", 4}, {"end", 8}}));
  EXPECT_EQ(words[2]["begin"], 9);
  EXPECT_EQ(first["alignment"]["links"].size(),
            first["alignment"]["target"].size());
  EXPECT_EQ(first["word_scores"]["words"].size(),
            first["alignment"]["target"].size());
  const json third = json::parse(lines[2]);
  EXPECT_TRUE(std::string(third["translation"]).starts_with("a small dog"));
  folder_.write("in", "{\"text\":\"the cat\",\"target_prefix\":null}\n");
  EXPECT_EQ(translate({path("in"), "--json"}).code, 0);
}

TEST_F(TranslateCommand, PlainTextCanComeOutAsJsonAndPrefixesFromAFile) {
  folder_.write("in", "the cat\nmy dog\n");
  folder_.write("prefixes", "a small\n\n");
  const Outcome o = translate(
      {path("in"), "--format", "json", "--prefix-file", path("prefixes")});
  const Texts lines = lines_of(o.out);
  ASSERT_EQ(lines.size(), 2u) << o.err;
  EXPECT_EQ(json::parse(lines[0])["text"], "the cat");
  EXPECT_TRUE(
      std::string(json::parse(lines[0])["translation"]).starts_with("a small"));
  folder_.write("prefixes", "a small\n");
  expect(translate({path("in"), "--prefix-file", path("prefixes")}), 3,
         "the input has more");
  folder_.write("prefixes", "\n\n\n");
  expect(translate({path("in"), "--prefix-file", path("prefixes")}), 3,
         "prefixes:3");
}

// Enough work for signals to come in between.

}  // namespace
}  // namespace fovea
