// Every route but /v1/translate, and every kind of mistake.
#include <gtest/gtest.h>

#include <thread>

#include "fovea/base/check.h"
#include "fovea/decode/translator.h"
#include "support/served.h"

namespace fovea {
namespace {

using namespace fovea::testing;
using testing::Json;

class ApiTest : public ::testing::Test {
 protected:
  HttpAnswer get(const std::string& path, const std::string& headers = "") {
    return HttpClient(served_.port()).get(path, headers);
  }
  HttpAnswer post(const std::string& path, const std::string& body,
                  const std::string& headers = "") {
    return HttpClient(served_.port()).post(path, body, headers);
  }
  Json ask(const std::string& path, const Json& body) {
    const HttpAnswer answer = post(path, body.dump());
    EXPECT_EQ(answer.status, 200) << answer.body;
    return json_of(answer);
  }
  void expect_refusal(const HttpAnswer& answer, int status,
                      const std::string& part) {
    EXPECT_EQ(answer.status, status) << answer.body;
    EXPECT_NE(message_of(answer).find(part), std::string::npos) << answer.body;
    EXPECT_EQ(message_of(answer).find('\n'), std::string::npos);
  }

  const Served served_;
};

TEST_F(ApiTest, IsReady) {
  const HttpAnswer answer = get("/health");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(json_of(answer)["status"], "ready");
}

TEST(ApiLoading, TurnsRequestsAwayUntilModelsAreThere) {
  ServerConfig config;
  config.http.port = 0;
  const TempFolder folder;
  Server server(config, {folder.file("nothing")});
  HttpClient client(server.port());
  HttpAnswer answer = client.get("/health");
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(json_of(answer)["status"], "loading");
  answer = client.post("/v1/translate", R"({"text": "a"})");
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.headers.count("retry-after"), 1u);
  EXPECT_EQ(client.get("/languages").status, 503);
  EXPECT_EQ(client.post("/detect", R"({"q": "a"})").status, 503);
  EXPECT_THROW(server.load(), Error);
}

TEST_F(ApiTest, ListsItsModels) {
  const Json model = json_of(get("/v1/models"))["data"][0];
  EXPECT_EQ(model["id"], "tiny-en-fr");
  EXPECT_EQ(model["source"], "en");
  EXPECT_EQ(model["target"], "fr");
  EXPECT_EQ(model["attention"], true);
}

TEST_F(ApiTest, CountsWhatItDoes) {
  ask("/v1/translate", {{"texts", {"my dog", "the cat"}}});
  ask("/v1/align", {{"source", "my dog"}, {"target", "the cat"}});
  ask("/v1/tokenize", {{"text", "my dog"}});
  get("/nowhere");
  const HttpAnswer answer = get("/metrics");
  EXPECT_TRUE(answer.headers.at("content-type").starts_with("text/plain"));
  for (const char* line :
       {"fovea_requests_total{path=\"/v1/translate\",status=\"200\"} 1\n",
        "fovea_requests_total{path=\"other\",status=\"404\"} 1\n",
        "fovea_sentences_total 2\n", "fovea_queue_sentences 0\n",
        "fovea_batch_sentences_sum 3\n", "fovea_batch_sentences_count 2\n",
        "fovea_request_seconds_count{path=\"/v1/translate\"} 1\n",
        "fovea_request_seconds_count{path=\"other\"} 1\n",
        "process_resident_memory_bytes "}) {
    EXPECT_NE(answer.body.find(line), std::string::npos) << line << answer.body;
  }
}

TEST_F(ApiTest, ScoresPairs) {
  const Translator translator = Translator::load({served_.model()});
  const std::vector<ScoreRequest> pairs = {{"my dog", "the cat"}, {"a", ""}};
  const auto right = translator.score(pairs);
  Json list = Json::array();
  for (const ScoreRequest& p : pairs) {
    list.push_back({{"source", p.source}, {"target", p.target}});
  }
  const Json answer =
      ask("/v1/score", {{"pairs", list}, {"word_scores", true}});
  ASSERT_EQ(answer["scores"].size(), 2u);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(answer["scores"][i]["log_probability"].get<float>(),
                right[i].log_probability, 1e-3);
  }
  EXPECT_EQ(answer["scores"][0]["word_scores"]["words"].size(), 2u);
  EXPECT_EQ(ask("/v1/score", {{"source", "my dog"},
                              {"target", "the cat"}})["scores"][0]["score"],
            answer["scores"][0]["score"]);
}

TEST_F(ApiTest, AlignsPairs) {
  const Json answer = ask(
      "/v1/align", {{"source", "my dog sees"}, {"target", "der Löwe sieht"}});
  const Json& alignment = answer["alignments"][0];
  EXPECT_EQ(alignment["target"][1]["word"], "Löwe");
  EXPECT_EQ(alignment["target"][2]["begin"], 9);
  EXPECT_EQ(alignment["links"].size(), 3u);
  const Json all = ask("/v1/align", {{"source", "my dog sees"},
                                     {"target", "der Löwe sieht"},
                                     {"threshold", 0.0001}});
  EXPECT_GE(all["alignments"][0]["links"].size(), 3u);
}

TEST_F(ApiTest, CutsTextsIntoTokens) {
  const Json answer =
      ask("/v1/tokenize", {{"texts", {"der Löwe", ""}}, {"side", "target"}});
  const Json& tokens = answer["texts"][0]["tokens"];
  EXPECT_EQ(tokens.front()["begin"], 0);
  EXPECT_EQ(tokens.back()["end"], 8);
  EXPECT_EQ(answer["texts"][1]["tokens"].size(), 0u);
}

TEST_F(ApiTest, NamesWhatIsWrongWithABody) {
  const std::string path = "/v1/translate";
  expect_refusal(post(path, "{\"text\": "), 400, "no JSON");
  expect_refusal(post(path, ""), 400, "no JSON");
  expect_refusal(post(path, "[1]"), 400, "must be a JSON object");
  expect_refusal(post(path, "{\"text\": \"\xff\"}"), 400, "not UTF-8");
  expect_refusal(post(path, R"({"text": "\ud800"})"), 400, "no JSON");
  expect_refusal(post(path, R"({})"), 400, "either \"text\" or \"texts\"");
  expect_refusal(post(path, R"({"text": "a", "texts": ["b"]})"), 400, "either");
  expect_refusal(post(path, R"({"text": 5})"), 400, "\"text\" must be a text");
  expect_refusal(post(path, R"({"texts": ["a", 5]})"), 400, "\"texts[1]\"");
  expect_refusal(post(path, R"({"text": "a", "bean_size": 5})"), 400,
                 "unknown field \"bean_size\" (did you mean 'beam_size'?)");
  expect_refusal(post(path, R"({"text": "a", "n_best": 100000})"), 400,
                 "\"n_best\" must be a whole number from 1 to 10");
  expect_refusal(post(path, R"({"text": "a", "n_best": 1e99})"), 400,
                 "\"n_best\"");
  expect_refusal(post(path, R"({"text": "a", "n_best": 18446744073709551615})"),
                 400, "\"n_best\"");
  expect_refusal(post(path, R"({"text": "a", "n_best": 4, "beam_size": 2})"),
                 422, "\"n_best\" must not be more than");
  expect_refusal(post(path, R"({"text": "a", "length_penalty": "x"})"), 400,
                 "\"length_penalty\" must be a number");
  expect_refusal(post(path, R"({"text": "a", "alignment": "hard"})"), 400,
                 "one of words, tokens, soft");
  expect_refusal(post(path, R"({"text": "a", "stream": 1})"), 400,
                 "true or false");
  expect_refusal(post(path, R"({"texts": ["a", "b"], "stream": true})"), 422,
                 "\"stream\" is for one text");
  expect_refusal(post(path, R"({"text": "a", "model": "b"})"), 404,
                 "no model 'b'");
  expect_refusal(post(path, R"({"text": "a", "shortlist": true})"), 422,
                 "no shortlist");
  expect_refusal(post(path, R"({"text": "a", "alignment": "words",
                                "heads": [99]})"),
                 422, "head");
  expect_refusal(post(path, R"({"text": "a", "heads": [0]})"), 422,
                 "\"alignment\"");
  expect_refusal(post(path, R"({"text": "a", "stream": null})"), 400,
                 "true or false");
  expect_refusal(post(path, R"({"text": "a", "beam_size": 2.5})"), 400,
                 "\"beam_size\"");
  expect_refusal(post("/v1/score", R"({"source": "a"})"), 400,
                 "\"target\" is missing");
  expect_refusal(post("/v1/score", R"({"pairs": [{"source": "a"}]})"), 400,
                 "\"pairs[0].target\" is missing");
  expect_refusal(post("/v1/score", R"({"pairs": ["a"]})"), 400,
                 "list of objects");
  std::string deep;
  for (int i = 0; i < 10000; ++i) deep += "{\"a\":";
  expect_refusal(post(path, deep), 400, "deeper than");
  EXPECT_EQ(get("/health").status, 200);
}

TEST_F(ApiTest, LimitsTextsAndBodies) {
  const std::string large(20001, 'a');
  expect_refusal(post("/v1/translate", Json{{"text", large}}.dump()), 413,
                 "\"text\" has 20001 characters");
  const std::string huge(3 << 20, 'a');
  expect_refusal(post("/v1/translate", Json{{"text", huge}}.dump()), 413,
                 "larger than 1048576 bytes");
  const std::vector<std::string> many(1025, "a");
  expect_refusal(post("/v1/translate", Json{{"texts", many}}.dump()), 413,
                 "1024 are the most");
  const Json heads = {
      {"source", "a"}, {"target", "b"}, {"heads", std::vector<int>(1025, 0)}};
  expect_refusal(post("/v1/align", heads.dump()), 422,
                 "\"heads\" has 1025 numbers");
}

TEST_F(ApiTest, LimitsTheFieldsOfAnObject) {
  const auto body = [](int more) {
    Json object = {{"text", "a :: [{ \" b"}};  // marks that are no marks
    for (int i = 0; i < more; ++i) object[join("x", i)] = Json::array({1});
    return object.dump();
  };
  expect_refusal(post("/v1/translate", body(255)), 400, "unknown field \"x0\"");
  expect_refusal(post("/v1/translate", body(256)), 400,
                 "an object of the body has more than 256 fields");
  Json pairs = Json::array();
  for (int i = 0; i < 300; ++i) pairs.push_back({{"source", "a"}});
  expect_refusal(post("/v1/score", Json{{"pairs", pairs}}.dump()), 400,
                 "\"pairs[0].target\" is missing");
}

TEST_F(ApiTest, RepeatsLittleOfALongMistake) {
  const Json body = {{"text", "a"}, {std::string(500000, 'x'), 1}};
  const HttpAnswer answer = post("/v1/translate", body.dump());
  expect_refusal(answer, 400, "unknown field \"xxx");
  EXPECT_LT(answer.body.size(), 1200u);
}

TEST_F(ApiTest, KnowsItsPathsAndMethods) {
  for (const char* path :
       {"/nowhere", "/v1", "/v1/translate/", "/../etc/passwd",
        "/%2e%2e/etc/passwd", "/app.js/../../etc/passwd", "//app.js",
        "/explain.html", "/openapi.json%00"}) {
    expect_refusal(get(path), 404, "nothing here");
  }
  HttpAnswer answer = get("/v1/translate");
  expect_refusal(answer, 405, "but POST");
  EXPECT_EQ(answer.headers.at("allow"), "POST");
  answer = post("/health", "");
  EXPECT_EQ(answer.status, 405);
  EXPECT_EQ(answer.headers.at("allow"), "GET, HEAD");
}

// Clients of LibreTranslate show "error" as it is.
TEST_F(ApiTest, EachInterfaceHasItsErrorsFromTheFirstByte) {
  const std::string large(size_t{2} << 20, 'a');
  EXPECT_TRUE(json_of(post("/translate", large))["error"].is_string());
  EXPECT_TRUE(json_of(get("/translate"))["error"].is_string());
  EXPECT_EQ(json_of(post("/translator/translate", large))["status"], "error");
  EXPECT_TRUE(json_of(post("/v1/translate", large))["error"].is_object());
}

TEST_F(ApiTest, SendsCarefulHeaders) {
  const HttpAnswer answer = get("/health");
  EXPECT_EQ(answer.headers.at("x-content-type-options"), "nosniff");
  EXPECT_EQ(answer.headers.count("access-control-allow-origin"), 0u);
}

TEST_F(ApiTest, ServesThePageWithAStrictPolicy) {
  const HttpAnswer page = get("/");
  if (page.status == 404) GTEST_SKIP() << "built without a page";
  EXPECT_EQ(page.status, 200);
  EXPECT_TRUE(page.headers.at("content-type").starts_with("text/html"));
  const std::string policy = page.headers.at("content-security-policy");
  EXPECT_TRUE(policy.starts_with("default-src 'none'"));
  EXPECT_EQ(policy.find("unsafe"), std::string::npos);
  const std::string tag = page.headers.at("etag");
  HttpClient client(served_.port());
  EXPECT_EQ(client.get("/", "If-None-Match: " + tag + "\r\n").status, 304);
  EXPECT_EQ(client.get("/app.js").status, 200);
}

TEST(ApiLog, HasALineForEachRequestAndTextsOnlyIfAsked) {
  const TempFolder folder;
  for (bool texts : {false, true}) {
    ServerConfig config;
    config.access_log = folder.file(texts ? "texts" : "plain");
    config.log_texts = texts;
    {
      const Served served(config);
      HttpClient client(served.port());
      client.post("/v1/translate", R"({"text": "my dog"})");
    }
    const std::string log = bytes_of(config.access_log);
    const Json line = Json::parse(log);
    EXPECT_EQ(line["method"], "POST");
    EXPECT_EQ(line["path"], "/v1/translate");
    EXPECT_EQ(line["status"], 200);
    EXPECT_EQ(line["client"], "127.0.0.1");
    EXPECT_GE(line["ms"].get<double>(), 0);
    EXPECT_EQ(log.find("my dog") != std::string::npos, texts);
  }
}

}  // namespace
}  // namespace fovea
