// Clients that go, wait too long or are too many; stopping and reloading under
// load.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "fovea/base/check.h"
#include "support/served.h"
#include "support/translator_folder.h"

namespace fovea {
namespace {

using namespace fovea::testing;
using testing::Json;
using namespace std::chrono_literals;

// Work for seconds, unless it is cancelled: the model hardly ever ends.
std::string long_request(int texts, int length = 1000) {
  std::vector<std::string> all;
  for (int i = 0; i < texts; ++i) {
    all.push_back(join("the cat sees ", i, " birds"));
  }
  return Json{{"texts", all},
              {"beam_size", 4},
              {"min_length", length},
              {"max_length", length}}
      .dump();
}

double metric(const Served& served, const std::string& name) {
  const std::string text = HttpClient(served.port()).get("/metrics").body;
  const size_t at = text.find("\n" + name + " ");
  return at == std::string::npos ? -1
                                 : std::stod(text.substr(at + name.size() + 2));
}

template <class Condition>
bool soon(const Condition& holds, int seconds = 20) {
  for (int i = 0; i < 50 * seconds && !holds(); ++i) {
    std::this_thread::sleep_for(20ms);
  }
  return holds();
}

const char* const kShort = R"({"text": "my dog", "max_length": 5})";

TEST(ServeFaults, AClientThatGoesCancelsItsWork) {
  const Served served({}, 1);
  {
    HttpClient client(served.port());
    client.send(HttpClient::request_text("POST", "/v1/translate",
                                         long_request(200), ""));
    ASSERT_TRUE(soon(
        [&] { return metric(served, "fovea_batch_sentences_count") >= 1; }));
  }
  EXPECT_TRUE(
      soon([&] { return metric(served, "fovea_cancelled_total") == 1; }));
  const auto begin = std::chrono::steady_clock::now();
  HttpClient client(served.port());
  EXPECT_EQ(client.post("/v1/translate", kShort).status, 200);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 10s);
  EXPECT_TRUE(
      soon([&] { return metric(served, "fovea_queue_sentences") == 0; }));
}

TEST(ServeFaults, AnAnswerThatTakesTooLongIsGivenUp) {
  ServerConfig config;
  config.http.answer = 0.3;
  const Served served(config, 1);
  HttpClient client(served.port());
  const HttpAnswer late = client.post("/v1/translate", long_request(100));
  EXPECT_EQ(late.status, 503);
  EXPECT_EQ(late.headers.count("retry-after"), 1u);
  EXPECT_NE(message_of(late).find("too long"), std::string::npos);
  EXPECT_TRUE(
      soon([&] { return client.post("/v1/translate", kShort).status == 200; }));
}

TEST(ServeFaults, ALateStreamEndsWithAnError) {
  ServerConfig config;
  config.http.answer = 0.5;
  config.batcher.max_tokens = 1 << 18;
  const Served served(config, 1);
  HttpClient client(served.port());
  const HttpAnswer late =
      client.post("/v1/translate",
                  R"({"text": "my dog", "stream": true, "beam_size": 32,
          "min_length": 1024, "max_length": 1024, "no_repeat_ngram": 9})");
  ASSERT_EQ(late.status, 200);
  const auto events = events_of(late);
  ASSERT_FALSE(events.empty());
  EXPECT_EQ(events.back().first, "error");
}

TEST(ServeFaults, AFullQueueIsSaidAndRecoversFrom) {
  const TempFolder folder;
  ServerConfig config;
  config.batcher.queue = 40;
  config.batcher.max_batch = 1;
  config.api_keys = folder.write("keys", "secret-1\nsecret-2\nsecret-3\n");
  const Served served(config, 1);
  const auto key = [](int number) {
    return join("X-API-Key: secret-", number, "\r\n");
  };
  HttpClient first(served.port()), second(served.port()), other(served.port());
  const auto fill = [&](HttpClient& client, int sentences, int number) {
    const int before = json_of(other.get("/health"))["waiting"];
    client.send(HttpClient::request_text("POST", "/v1/translate",
                                         long_request(sentences), key(number)));
    return soon([&] {
      const int now = json_of(other.get("/health"))["waiting"];
      return now >= before + sentences - 1;
    });
  };
  ASSERT_TRUE(fill(first, 20, 1));
  const HttpAnswer own = other.post("/v1/translate", long_request(10), key(1));
  EXPECT_EQ(own.status, 429);
  EXPECT_EQ(own.headers.count("retry-after"), 1u);
  ASSERT_TRUE(fill(second, 10, 2));  // half of what is left
  const HttpAnswer full = other.post("/v1/translate", long_request(9), key(3));
  EXPECT_EQ(full.status, 503);
  EXPECT_EQ(full.headers.count("retry-after"), 1u);
  const HttpAnswer health = other.get("/health");
  EXPECT_EQ(health.status, 503);
  EXPECT_EQ(json_of(health)["status"], "overloaded");
  EXPECT_EQ(other.post("/v1/translate", long_request(21), key(3)).status, 413);
  first.close();
  second.close();
  EXPECT_TRUE(soon([&] { return other.get("/health").status == 200; }));
  EXPECT_EQ(other.post("/v1/translate", kShort, key(3)).status, 200);
}

TEST(ServeFaults, AnAddressIsOneClientHoweverManyConnectionsItHas) {
  ServerConfig config;
  config.batcher.queue = 40;
  config.batcher.max_batch = 1;
  const Served served(config, 1);
  HttpClient busy(served.port()), other(served.port());
  busy.send(
      HttpClient::request_text("POST", "/v1/translate", long_request(19), ""));
  ASSERT_TRUE(
      soon([&] { return metric(served, "fovea_queue_sentences") >= 18; }));
  const HttpAnswer full = other.post("/v1/translate", long_request(10));
  EXPECT_EQ(full.status, 429);
  EXPECT_EQ(full.headers.at("retry-after"), "1");
  busy.close();
}

TEST(ServeFaults, AStreamGoesOnThoughTheQueueIsFullMeanwhile) {
  ServerConfig config;
  config.batcher.queue = 8;
  config.batcher.max_batch = 1;
  const Served served(config, 1);
  HttpClient stream(served.port()), busy(served.port());
  const Json text = {{"text", "The cat sees. My dog watches. Two birds."},
                     {"stream", true},
                     {"beam_size", 32},
                     {"min_length", 340},
                     {"max_length", 340}};
  stream.send(
      HttpClient::request_text("POST", "/v1/translate", text.dump(), ""));
  const std::string start = stream.receive_until("event: hypothesis");
  ASSERT_NE(start.find("event: start"), std::string::npos);
  busy.send(HttpClient::request_text("POST", "/v1/translate",
                                     long_request(4, 20), ""));
  ASSERT_TRUE(
      soon([&] { return metric(served, "fovea_queue_sentences") == 4; }));
  const std::string rest = stream.receive_until("0\r\n\r\n");
  EXPECT_NE(rest.find("event: done"), std::string::npos);
  EXPECT_EQ(rest.find("event: error"), std::string::npos);
  EXPECT_EQ(busy.receive().status, 200);
}

TEST(ServeFaults, ALongRequestKeepsNobodyWaiting) {
  ServerConfig config;
  config.batcher.max_batch = 4;
  const Served served(config, 1);
  HttpClient busy(served.port());
  busy.send(HttpClient::request_text("POST", "/v1/translate",
                                     long_request(400, 100), ""));
  ASSERT_TRUE(
      soon([&] { return metric(served, "fovea_queue_sentences") >= 100; }));
  HttpClient client(served.port());
  EXPECT_EQ(client.post("/v1/translate", kShort).status, 200);
  EXPECT_GE(metric(served, "fovea_queue_sentences"), 100);
  busy.close();
}

// Texts that take long to be cut are cut one in a turn.
TEST(ServeFaults, TextsThatAreLongToReadKeepNobodyWaiting) {
  const Served served({}, 1);
  HttpClient busy(served.port());
  const Json texts = std::vector(45, std::string(20000, 'a'));
  for (int i = 0; i < 3; ++i) {
    busy.send(HttpClient::request_text("POST", "/v1/translate",
                                       Json{{"texts", texts}}.dump(), ""));
  }
  HttpClient client(served.port());
  EXPECT_EQ(client.post("/v1/translate", kShort).status, 200);
  EXPECT_EQ(metric(served, "fovea_sentences_total"), 1);
  busy.close();
}

// A batch is bounded by what its searches may hold, not by its sources alone.
TEST(ServeFaults, AWideSearchForALongTranslationIsRefused) {
  ServerConfig config;
  config.batcher.max_tokens = 1000;
  const Served served(config, 1);
  HttpClient client(served.port());
  const auto ask = [&](int beam, int length, bool stream) {
    return client.post("/v1/translate",
                       Json{{"text", "My dog.\nThe cat sees two birds."},
                            {"beam_size", beam},
                            {"max_length", length},
                            {"stream", stream}}
                           .dump());
  };
  for (const bool stream : {false, true}) {
    EXPECT_EQ(ask(8, 20, stream).status, 200);
    const HttpAnswer wide = ask(32, 100, stream);
    EXPECT_EQ(wide.status, 422);
    EXPECT_NE(message_of(wide).find("1000 are the most"), std::string::npos);
  }
}

// Alignments grow with the product of lengths: pairs, and answers of texts
// whose sentences are short, are bounded too.
TEST(ServeFaults, AnAlignmentOfManyWeightsIsRefused) {
  ServerConfig config;
  config.batcher.max_tokens = 1000;
  config.limits.max_weights = 20000;
  const Served served(config, 1);
  HttpClient client(served.port());
  const auto text = [](int sentences) {
    std::string all;
    for (int i = 0; i < sentences; ++i) all += "My dog sees two birds.\n";
    return all;
  };
  const auto refused = [&](const char* path, const Json& body, int status,
                           const char* why) {
    const HttpAnswer answer = client.post(path, body.dump());
    EXPECT_EQ(answer.status, status)
        << path << " " << answer.body.substr(0, 99);
    EXPECT_NE(message_of(answer).find(why), std::string::npos) << path;
  };
  const Json pair = {{"source", text(1)}, {"target", text(1)}};
  const Json pairs = {{"pairs", std::vector<Json>(100, pair)}};
  EXPECT_EQ(client.post("/v1/align", pair.dump()).status, 200);
  refused("/v1/align", pairs, 413, "more than 20000 weights");
  EXPECT_EQ(client.post("/v1/score", pairs.dump()).status, 200);
  const Json long_pair = {{"source", text(80)}, {"target", text(80)}};
  refused("/v1/score", long_pair, 422, "1000 are the most");

  Json call = {{"text", text(40)}, {"beam_size", 1}, {"max_length", 8}};
  EXPECT_EQ(client.post("/v1/translate", call.dump()).status, 200);
  call["alignment"] = "words";
  EXPECT_EQ(client.post("/v1/translate", call.dump()).status, 200);
  for (const char* dense : {"soft", "tokens"}) {
    call["alignment"] = dense;
    refused("/v1/translate", call, 413, "more than 20000 weights");
  }
  EXPECT_EQ(client.post("/v1/translate", kShort).status, 200);
}

TEST(ServeFaults, ExpensiveSentencesAreNotComputedTogether) {
  ServerConfig config;
  config.batcher.max_tokens = 1000;
  const Served served(config, 1);
  HttpClient client(served.port());
  const auto batches = [&](int beam) {
    const double before = metric(served, "fovea_batch_sentences_count");
    const Json call = {{"texts", std::vector<std::string>(16, "my dog")},
                       {"beam_size", beam},
                       {"max_length", 50}};
    EXPECT_EQ(client.post("/v1/translate", call.dump()).status, 200);
    return metric(served, "fovea_batch_sentences_count") - before;
  };
  EXPECT_EQ(batches(1), 1);
  EXPECT_EQ(batches(16), 16);
}

// Clients that ask again and again until they are told to go.
class Load {
 public:
  Load(int port, int clients) {
    for (int i = 0; i < clients; ++i) {
      threads_.emplace_back([this, port] { ask(port); });
    }
  }
  ~Load() { finish(); }

  void finish() {
    stop_ = true;
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

  int answered() const { return answered_; }
  int lost() const { return lost_; }
  int errors() const { return errors_; }

 private:
  void ask(int port) {
    const std::string body = R"({"text": "the cat sees two birds !"})";
    try {
      HttpClient client(port);
      while (!stop_) {
        const HttpAnswer answer = client.post("/v1/translate", body);
        if (answer.status == 0) {
          ++lost_;
          return;
        }
        answered_ += answer.status == 200;
        errors_ += answer.status != 200;
        if (answer.headers.at("connection") == "close") return;
      }
    } catch (const std::exception&) {  // nobody listens any more
    }
  }

  std::atomic<bool> stop_ = false;
  std::atomic<int> answered_ = 0, lost_ = 0, errors_ = 0;
  std::vector<std::thread> threads_;
};

TEST(ServeFaults, StoppingUnderLoadLosesNoRequest) {
  const Served served;
  Load load(served.port(), 8);
  ASSERT_TRUE(soon([&] { return load.answered() >= 20; }));
  served.server().stop();
  load.finish();
  EXPECT_EQ(load.lost(), 0);
  EXPECT_EQ(load.errors(), 0);
}

TEST(ServeFaults, ReloadingUnderLoadLosesNoRequest) {
  const Served served;
  Load load(served.port(), 8);
  for (int i = 0; i < 5; ++i) {
    const int before = load.answered();
    served.server().load();
    ASSERT_TRUE(soon([&] { return load.answered() > before + 8; }));
  }
  load.finish();
  EXPECT_EQ(load.lost(), 0);
  EXPECT_EQ(load.errors(), 0);
}

TEST(ServeFaults, ReloadingTakesTheNewModel) {
  const Served served;
  HttpClient client(served.port());
  const std::string body = R"({"text": "the cat sees two birds !"})";
  const Json before = json_of(client.post("/v1/translate", body));
  write_model_folder(served.model(), {.seed = 99});
  EXPECT_EQ(json_of(client.post("/v1/translate", body)), before);
  served.server().load();
  EXPECT_NE(json_of(client.post("/v1/translate", body)), before);
  std::filesystem::remove_all(served.model());
  EXPECT_THROW(served.server().load(), Error);
  EXPECT_EQ(client.post("/v1/translate", body).status, 200);
}

}  // namespace
}  // namespace fovea
