// POST /v1/translate over HTTP gives what Translator gives.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "fovea/base/check.h"
#include "fovea/decode/translator.h"
#include "fovea/decode/word_alignment.h"
#include "fovea/serve/translation_json.h"
#include "support/served.h"

namespace fovea {
namespace {

using namespace fovea::testing;
using testing::Json;

const std::vector<std::string> kTexts = {
    "the cat sees two birds !", "",  "der Löwe sieht eine Straße",
    "my dog watches 12 houses", "a", "zebra \u0416\U0001f600 !?"};

class TranslateApi : public ::testing::Test {
 protected:
  TranslateApi() : translator_(Translator::load({served_.model()})) {}

  std::string expected(const std::string& text,
                       const TranslateOptions& options = {}) const {
    const TranslateRequest request{text};
    return translator_.translate({&request, 1}, options)[0][0].text;
  }

  Json ask(const Json& body) const {
    HttpClient client(served_.port());
    const HttpAnswer answer = client.post("/v1/translate", body.dump());
    EXPECT_EQ(answer.status, 200) << answer.body;
    return json_of(answer);
  }

  const Served served_;
  const Translator translator_;
};

TEST_F(TranslateApi, TranslatesOneText) {
  const Json answer = ask({{"text", kTexts[0]}});
  EXPECT_EQ(answer["model"], "tiny-en-fr");
  ASSERT_EQ(answer["translations"].size(), 1u);
  const Json& best = answer["translations"][0];
  EXPECT_EQ(best["translation"], expected(kTexts[0]));
  EXPECT_FALSE(best.contains("alignment"));
  EXPECT_FALSE(best.contains("n_best"));
}

TEST_F(TranslateApi, TranslatesManyTextsInTheirOrder) {
  const Json answer = ask({{"texts", kTexts}});
  ASSERT_EQ(answer["translations"].size(), kTexts.size());
  for (size_t i = 0; i < kTexts.size(); ++i) {
    EXPECT_EQ(answer["translations"][i]["translation"], expected(kTexts[i]));
  }
  EXPECT_EQ(ask({{"texts", Json::array()}})["translations"].size(), 0u);
}

TEST_F(TranslateApi, TakesTheOptionsOfTheSearch) {
  TranslateOptions options;
  options.all.search = {
      .beam_size = 3, .n_best = 3, .length_penalty = 1.5f, .max_length = 7};
  const TranslateRequest request{kTexts[0]};
  const auto found = translator_.translate({&request, 1}, options)[0];
  const Json answer = ask({{"text", kTexts[0]},
                           {"beam_size", 3},
                           {"n_best", 3},
                           {"length_penalty", 1.5},
                           {"max_length", 7}});
  const Json& list = answer["translations"][0]["n_best"];
  ASSERT_EQ(list.size(), found.size());
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(list[i]["translation"], found[i].text);
    EXPECT_NEAR(list[i]["score"].get<float>(), found[i].score, 1e-4);
  }
}

TEST_F(TranslateApi, SamplesAsTheLineOfThatNumberIsSampled) {
  TranslateOptions options;
  options.all.search = {.sample = true, .temperature = 1.5f, .seed = 7};
  std::vector<TranslateRequest> requests;
  for (const std::string& text : kTexts) {
    requests.push_back({.text = text, .number = requests.size()});
  }
  const auto found = translator_.translate(requests, options);
  const Json answer = ask(
      {{"texts", kTexts}, {"sample", true}, {"temperature", 1.5}, {"seed", 7}});
  for (size_t i = 0; i < kTexts.size(); ++i) {
    EXPECT_EQ(answer["translations"][i]["translation"], found[i][0].text);
  }
}

TEST_F(TranslateApi, BeginsWithThePrefix) {
  const Json answer = ask({{"text", kTexts[0]}, {"prefix", "the dog"}});
  const std::string text = answer["translations"][0]["translation"];
  EXPECT_TRUE(text.starts_with("the dog")) << text;
}

TEST_F(TranslateApi, AlignsWordsWithCharactersOfTheTexts) {
  const Json answer =
      ask({{"text", kTexts[2]}, {"alignment", "words"}, {"word_scores", true}});
  const Json& best = answer["translations"][0];
  const Json& alignment = best["alignment"];
  ASSERT_EQ(alignment["source"].size(), 5u);
  EXPECT_EQ(alignment["source"][1],
            (Json{{"word", "Löwe"}, {"begin", 4}, {"end", 8}}));
  for (const Json& link : alignment["links"]) {
    EXPECT_LT(link["source"].get<int>(), 5);
    EXPECT_LT(link["target"].get<size_t>(), alignment["target"].size());
    EXPECT_GT(link["weight"].get<float>(), 0);
  }
  EXPECT_EQ(best["word_scores"]["words"].size(), alignment["target"].size());
  EXPECT_EQ(best["translation"], expected(kTexts[2]));
}

TEST_F(TranslateApi, GivesAllWeightsOfWordsOrTokens) {
  const Json soft = ask({{"text", kTexts[0]}, {"alignment", "soft"}});
  const Json& words = soft["translations"][0]["alignment"];
  ASSERT_EQ(words["weights"].size(), words["target"].size());
  EXPECT_EQ(words["weights"][0].size(), words["source"].size());

  const Json hard = ask({{"text", kTexts[0]}, {"alignment", "tokens"}});
  const Json& tokens = hard["translations"][0]["alignment"];
  ASSERT_EQ(tokens["weights"].size(), tokens["target"].size());
  for (const Json& row : tokens["weights"]) {
    ASSERT_EQ(row.size(), tokens["source"].size());
    double sum = 0;
    for (double weight : row) sum += weight;
    EXPECT_NEAR(sum, 1, 1e-4);
  }
  EXPECT_EQ(tokens["source"].back()["token"], "</s>");
}

// More than 256 tokens.
std::string long_text() {
  std::string text;
  for (int i = 0; i < 45; ++i) text += "the cat sees two birds ! ";
  return text;
}

TEST_F(TranslateApi, TranslatesALongTextInParts) {
  TranslateOptions options;
  options.all.search.max_length = 6;
  const Json answer =
      ask({{"text", long_text()}, {"max_length", 6}, {"alignment", "tokens"}});
  const Json& best = answer["translations"][0];
  EXPECT_GT(best["parts"].get<int>(), 1);
  EXPECT_EQ(best["translation"], expected(long_text(), options));
  EXPECT_EQ(best["alignment"]["weights"][0].size(),
            best["alignment"]["source"].size());
}

const char* const kParagraph = "The cat sees. My dog watches!\n\nTwo birds?";

TEST_F(TranslateApi, TranslatesSentencesOneByOne) {
  const Json answer =
      ask({{"texts", {kParagraph, "my dog"}}, {"alignment", "words"}});
  const Json& best = answer["translations"][0];
  EXPECT_EQ(best["translation"], expected("The cat sees.") + " " +
                                     expected("My dog watches!") + "\n\n" +
                                     expected("Two birds?"));
  EXPECT_EQ(best["parts"], 3);
  EXPECT_EQ(best["alignment"]["source"].back(),
            (Json{{"word", "birds?"}, {"begin", 35}, {"end", 41}}));
  EXPECT_FALSE(answer["translations"][1].contains("parts"));
  EXPECT_EQ(ask({{"text", " One line\n"}})["translations"][0]["translation"],
            expected("One line"));
}

TEST_F(TranslateApi, TranslatesATextAsOneIfAsked) {
  const Json whole = ask({{"text", kParagraph}, {"split", false}});
  EXPECT_EQ(whole["translations"][0]["translation"], expected(kParagraph));
  EXPECT_FALSE(whole["translations"][0].contains("parts"));
}

TEST_F(TranslateApi, RanksTextsOfSentences) {
  const Json answer = ask({{"text", kParagraph}, {"n_best", 3}});
  const Json& list = answer["translations"][0]["n_best"];
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(list[0]["translation"], answer["translations"][0]["translation"]);
  EXPECT_GE(list[0]["score"].get<float>(), list[1]["score"].get<float>());
  EXPECT_NE(list[0]["translation"], list[1]["translation"]);
}

TEST_F(TranslateApi, SentencesThatThePrefixReachesStayTogether) {
  const auto answer = [&](const char* prefix) {
    return ask({{"text", kParagraph}, {"prefix", prefix}})["translations"][0];
  };
  const std::string one = answer("the dog")["translation"];
  EXPECT_TRUE(one.starts_with("the dog")) << one;
  EXPECT_TRUE(one.ends_with("\n\n" + expected("Two birds?"))) << one;
  EXPECT_EQ(answer("the dog")["parts"], 3);
  EXPECT_EQ(answer("The dog sees! The")["parts"], 2);
  EXPECT_FALSE(answer("Dog! Dog! Dog! Dog! Dog!").contains("parts"));
}

TEST_F(TranslateApi, NeighboursChangeNothing) {
  std::vector<std::string> right;
  for (const std::string& text : kTexts) right.push_back(expected(text));
  TranslateOptions greedy;
  greedy.all.search.beam_size = 1;
  std::vector<std::string> greedy_right;
  for (const std::string& t : kTexts)
    greedy_right.push_back(expected(t, greedy));
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int client = 0; client < 8; ++client) {
    threads.emplace_back([&, client] {
      HttpClient http(served_.port());
      for (int i = 0; i < 12; ++i) {
        const size_t at = (client + i) % kTexts.size();
        Json body = {{"text", kTexts[at]}};
        if (client % 2 == 1) body["beam_size"] = 1;
        const HttpAnswer answer = http.post("/v1/translate", body.dump());
        const std::string& want =
            client % 2 == 1 ? greedy_right[at] : right[at];
        const Json json = json_of(answer);
        if (answer.status != 200 ||
            json["translations"][0]["translation"] != want) {
          ++wrong;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

class TranslateStream : public TranslateApi {
 protected:
  std::vector<std::pair<std::string, Json>> stream(Json body) const {
    body["stream"] = true;
    HttpClient client(served_.port());
    const HttpAnswer answer = client.post("/v1/translate", body.dump());
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.headers.at("content-type"), "text/event-stream");
    return events_of(answer);
  }
};

TEST_F(TranslateStream, TellsEachTokenOfAGreedySearch) {
  const auto events = stream({{"text", kTexts[0]}, {"beam_size", 1}});
  ASSERT_GE(events.size(), 3u);
  EXPECT_EQ(events.front().first, "start");
  EXPECT_EQ(events.back().first, "done");
  const Json& source = events.front().second["source"];
  ASSERT_EQ(source["tokens"].size(), source["words"].size());
  EXPECT_EQ(source["words"].back(), -1);
  const Json& done = events.back().second;
  EXPECT_EQ(done, ask({{"text", kTexts[0]}, {"beam_size", 1}}));
  for (size_t i = 1; i + 1 < events.size(); ++i) {
    EXPECT_EQ(events[i].first, "token");
    const Json& token = events[i].second;
    EXPECT_EQ(token["index"], i - 1);
    EXPECT_EQ(token["weights"].size(), source["tokens"].size());
    EXPECT_LE(token["alternatives"].size(), 5u);
    EXPECT_EQ(token["alternatives"][0]["token"], token["token"]);
    EXPECT_LE(token["log_probability"].get<float>(), 0);
  }
  const Json& last = events[events.size() - 2].second;
  EXPECT_EQ(last["text"], done["translations"][0]["translation"]);
}

TEST_F(TranslateStream, TellsTheBestSoFarOfAWideSearch) {
  const auto events = stream({{"text", kTexts[0]}});
  ASSERT_GE(events.size(), 3u);
  for (size_t i = 1; i + 1 < events.size(); ++i) {
    EXPECT_EQ(events[i].first, "hypothesis");
    EXPECT_EQ(events[i].second["provisional"], true);
  }
  EXPECT_EQ(events.back().second, ask({{"text", kTexts[0]}}));
}

TEST_F(TranslateStream, GoesThroughTheParts) {
  const Json body = {
      {"text", long_text()}, {"beam_size", 1}, {"max_length", 6}};
  const auto events = stream(body);
  const size_t keys = events.front().second["source"]["tokens"].size();
  for (size_t i = 1; i + 1 < events.size(); ++i) {
    EXPECT_EQ(events[i].second["weights"].size(), keys);
    EXPECT_EQ(events[i].second["index"], i - 1);
  }
  EXPECT_EQ(events.back().second, ask(body));
}

TEST_F(TranslateStream, TellsSentencesWithWhatStandsBetweenThem) {
  const auto events = stream({{"text", kParagraph}, {"beam_size", 1}});
  const Json& done = events.back().second;
  EXPECT_EQ(done, ask({{"text", kParagraph}, {"beam_size", 1}}));
  EXPECT_EQ(events[events.size() - 2].second["text"],
            done["translations"][0]["translation"]);
}

TEST_F(TranslateStream, ABlankTextIsDoneAtOnce) {
  const auto events = stream({{"text", " "}, {"beam_size", 1}});
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events.back().second["translations"][0]["translation"], "");
}

}  // namespace
}  // namespace fovea
