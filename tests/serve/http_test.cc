#include "fovea/serve/http.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <map>
#include <mutex>
#include <thread>

#include "fovea/base/check.h"
#include "serve/test_http_server.h"
#include "support/http_client.h"

namespace fovea {
namespace {

using namespace fovea::testing;
using namespace std::chrono_literals;

TEST(Http, AnswersRequestsOnOneConnection) {
  TestServer server({}, echo);
  HttpClient client(server.port());
  EXPECT_EQ(client.get("/a?b=c").body, "GET /a b=c ");
  const HttpAnswer posted = client.post("/x", "body");
  EXPECT_EQ(posted.body, "POST /x  body");
  EXPECT_EQ(posted.headers.at("connection"), "keep-alive");
  EXPECT_EQ(server.server().connections(), 1);
}

TEST(Http, AnswersRequestsThatCameTogether) {
  TestServer server({}, echo);
  HttpClient client(server.port());
  client.send("GET /1 HTTP/1.1\r\n\r\nGET /2 HTTP/1.1\r\n\r\n");
  EXPECT_EQ(client.receive().body, "GET /1  ");
  EXPECT_EQ(client.receive().body, "GET /2  ");
}

TEST(Http, ClosesWhenTheClientWantsIt) {
  TestServer server({}, echo);
  HttpClient client(server.port());
  EXPECT_EQ(client.get("/a", "Connection: close\r\n").status, 200);
  EXPECT_TRUE(client.is_closed_within(5));
}

TEST(Http, SendsNoBodyForAHead) {
  TestServer server({}, echo);
  HttpClient client(server.port());
  client.send("HEAD /a HTTP/1.1\r\n\r\n");
  const HttpAnswer answer = client.receive(false);
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.headers.at("content-length"), "9");
  EXPECT_EQ(client.get("/b").body, "GET /b  ");
}

TEST(Http, RefusesWhatIsNoRequest) {
  TestServer server({}, echo);
  for (const char* text : {"nonsense\r\n\r\n", "GET / HTTP/9.9\r\n\r\n",
                           "\x16\x03\x01 tls\r\n\r\n",
                           "GET / HTTP/1.1\r\nContent-Length: x\r\n\r\n"}) {
    HttpClient client(server.port());
    client.send(text);
    EXPECT_EQ(client.receive().status, 400) << text;
    EXPECT_TRUE(client.is_closed_within(5));
  }
}

// Whoever stands before the server must read the same request as it does.
TEST(Http, RefusesHeadersThatCanBeReadInTwoWays) {
  TestServer server({}, echo);
  for (const char* header :
       {"Host: a\r\nHost: b\r\n", "Transfer-Encoding: gzip\r\n",
        "Transfer-Encoding: gzip, chunked\r\n"}) {
    HttpClient client(server.port());
    client.send(join("POST / HTTP/1.1\r\n", header, "\r\n"));
    EXPECT_EQ(client.receive().status, 400) << header;
    EXPECT_TRUE(client.is_closed_within(5));
  }
}

TEST(Http, TakesTheHostFromAWholeAddress) {
  TestServer server({}, [](const HttpRequest& request,
                           const std::shared_ptr<HttpReply>& reply) {
    reply->send({.body = join(request.header("host"), " ", request.path, " ",
                              request.query)});
  });
  HttpClient client(server.port());
  client.send("GET HTTP://a.b:80/c?d HTTP/1.1\r\nHost: other\r\n\r\n");
  EXPECT_EQ(client.receive().body, "a.b:80 /c d");
  client.send("GET http://a HTTP/1.1\r\nHost: other\r\n\r\n");
  EXPECT_EQ(client.receive().body, "a / ");
}

TEST(Http, RefusesBodiesAndHeadersThatAreTooLarge) {
  TestServer server({.max_body = 1000, .max_header = 2000}, echo);
  HttpClient large(server.port());
  const HttpAnswer answer = large.post("/", std::string(100000, 'x'));
  EXPECT_EQ(answer.status, 413);
  EXPECT_NE(answer.body.find("1000 bytes"), std::string::npos);
  HttpClient header(server.port());
  EXPECT_EQ(header.get("/", "X: " + std::string(5000, 'y') + "\r\n").status,
            431);
  HttpClient chunked(server.port());
  chunked.send("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" +
               std::string("fff\r\n") + std::string(4095, 'z') +
               "\r\n0\r\n\r\n");
  EXPECT_EQ(chunked.receive().status, 413);
  HttpClient fine(server.port());
  EXPECT_EQ(fine.get("/").status, 200);
}

TEST(Http, TellsAClientThatAsksFirstToGoOn) {
  TestServer server({}, echo);
  HttpClient client(server.port());
  client.send(
      "POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  EXPECT_NE(client.receive_until("\r\n\r\n").find("100 Continue"),
            std::string::npos);
  client.send("hi");
  EXPECT_EQ(client.receive().body, "POST /  hi");
}

TEST(Http, DoesNotWaitForSlowClients) {
  TestServer server({.idle = 0.3, .header = 0.3, .body = 0.3}, echo);
  HttpClient idle(server.port()), header(server.port()), body(server.port());
  header.send("GET / HTT");
  body.send("POST / HTTP/1.1\r\nContent-Length: 10\r\n\r\nhalf");
  EXPECT_EQ(header.receive().status, 408);
  EXPECT_EQ(body.receive().status, 408);
  EXPECT_TRUE(idle.is_closed_within(5));
}

TEST(Http, ASlowLorisKeepsNobodyOut) {
  TestServer server({.max_connections = 8, .young = 0}, echo);
  std::vector<std::unique_ptr<HttpClient>> slow;
  for (int i = 0; i < 30; ++i) {
    slow.push_back(std::make_unique<HttpClient>(server.port()));
    slow.back()->send("GET / HTTP/1.1\r\nX-");
  }
  HttpClient client(server.port());
  EXPECT_EQ(client.get("/").status, 200);
  EXPECT_LE(server.server().connections(), 8);
}

TEST(Http, SaysThatTooManyClientsAreBusy) {
  std::mutex mutex;
  std::vector<std::shared_ptr<HttpReply>> held;
  TestServer server({.max_connections = 2, .young = 0},
                    [&](const HttpRequest& q, std::shared_ptr<HttpReply> r) {
                      if (q.spare) return r->send({.status = 503});
                      const std::lock_guard<std::mutex> lock(mutex);
                      held.push_back(std::move(r));
                    });
  HttpClient one(server.port()), two(server.port());
  for (HttpClient* client : {&one, &two}) {
    client->send("GET / HTTP/1.1\r\n\r\n");
  }
  ASSERT_TRUE(soon([&] {
    const std::lock_guard<std::mutex> lock(mutex);
    return held.size() == 2;
  }));
  std::vector<std::unique_ptr<HttpClient>> idle;  // they keep nobody out
  for (int i = 0; i < 300; ++i) {
    idle.push_back(std::make_unique<HttpClient>(server.port()));
  }
  HttpClient more(server.port());
  const HttpAnswer answer = more.get("/");
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.headers.at("connection"), "close");
  EXPECT_LE(server.server().connections(), 258);
  for (auto& reply : held) reply->send({});
  EXPECT_EQ(one.receive().status, 200);
  held.clear();
}

// In a rush all connections are in use, though none has a request at times.
TEST(Http, WhoIsAboutToAskIsNotSentAway) {
  TestServer server({.max_connections = 2, .young = 60},
                    [](const HttpRequest& q, const auto& reply) {
                      reply->send({.status = q.spare ? 503 : 200});
                    });
  HttpClient one(server.port()), two(server.port()), three(server.port());
  ASSERT_TRUE(soon([&] { return server.server().connections() == 3; }));
  EXPECT_EQ(three.get("/").status, 503);
  EXPECT_EQ(one.get("/").status, 200);
  EXPECT_EQ(two.get("/").status, 200);
}

TEST(Http, DropsWhoTakesNoAnswers) {
  const std::string large(8 << 20, 'x');
  TestServer server(
      {.max_unsent = 30 << 20},
      [&](const HttpRequest&, const auto& r) { r->send({.body = large}); });
  std::vector<std::unique_ptr<HttpClient>> slow;
  for (int i = 0; i < 12; ++i) {
    slow.push_back(std::make_unique<HttpClient>(server.port()));
    slow.back()->send("GET / HTTP/1.1\r\n\r\n");
  }
  EXPECT_TRUE(soon([&] {
    const auto all = server.accesses();
    return std::ranges::count(all, 499, &HttpAccess::status) >= 9;
  }));
  HttpClient client(server.port());
  EXPECT_EQ(client.get("/").body.size(), large.size());
}

TEST(Http, ManyClientsWithoutRequestsCostNoThread) {
  TestServer server({}, echo);
  std::vector<std::unique_ptr<HttpClient>> idle;
  for (int i = 0; i < 100; ++i) {
    idle.push_back(std::make_unique<HttpClient>(server.port()));
  }
  HttpClient client(server.port());
  EXPECT_EQ(client.get("/").status, 200);
  for (auto& one : idle) EXPECT_EQ(one->get("/").status, 200);
}

TEST(Http, HasItsHeadersOnErrorsOfItsOwn) {
  TestServer server({.max_body = 10,
                     .max_header = 500,
                     .header = 0.2,
                     .headers = {{"X-Careful", "yes"}}},
                    [](const HttpRequest&, const auto&) {});
  const auto answer = [&](const std::string& text) {
    HttpClient client(server.port());
    client.send(text);
    return client.receive();
  };
  const std::string large(600, 'y');
  for (const auto& [text, status] : std::map<std::string, int>{
           {"nonsense\r\n\r\n", 400},
           {"GET / HTT", 408},
           {"POST / HTTP/1.1\r\nContent-Length: 99\r\n\r\n", 413},
           {"GET / HTTP/1.1\r\nX: " + large + "\r\n\r\n", 431},
           {"GET / HTTP/1.1\r\n\r\n", 500}}) {
    const HttpAnswer got = answer(text);
    EXPECT_EQ(got.status, status);
    EXPECT_EQ(got.headers.count("x-careful"), 1u) << status;
  }
}

TEST(Http, TellsWhenAnAnswerTakesTooLong) {
  std::shared_ptr<HttpReply> held;
  TestServer server({.answer = 0.2},
                    [&](const HttpRequest&, std::shared_ptr<HttpReply> r) {
                      held = r;
                      held->on_end([&](RequestEnd why) {
                        if (why == RequestEnd::kLate)
                          held->send({.status = 503});
                      });
                    });
  HttpClient client(server.port());
  EXPECT_EQ(client.get("/").status, 503);
  server.stop();
  held.reset();
}

TEST(Http, AnswersARequestThatWasForgotten) {
  TestServer server({}, [](const HttpRequest&, const auto&) {});
  HttpClient client(server.port());
  EXPECT_EQ(client.get("/").status, 500);
}

TEST(Http, AnswersWhenTheHandlerThrows) {
  TestServer server({}, [](const HttpRequest&, const auto&) {
    throw std::runtime_error("broken");
  });
  HttpClient client(server.port());
  EXPECT_EQ(client.get("/").status, 500);
  EXPECT_EQ(client.get("/").status, 500);
}

TEST(Http, SendsPartsAsTheyCome) {
  std::promise<void> seen;
  std::thread answering;
  TestServer server({}, [&](const HttpRequest&, std::shared_ptr<HttpReply> r) {
    answering = std::thread([&, r] {
      r->begin({.type = "text/event-stream"});
      r->write("first ");
      seen.get_future().wait();
      r->write("second");
      r->end();
    });
  });
  HttpClient client(server.port());
  client.send("GET / HTTP/1.1\r\n\r\n");
  EXPECT_NE(client.receive_until("first").find("chunked"), std::string::npos);
  seen.set_value();
  EXPECT_NE(client.receive_until("0\r\n\r\n").find("second"),
            std::string::npos);
  answering.join();
}

TEST(Http, AnOldClientGetsAStreamWithoutChunks) {
  TestServer server({}, [](const HttpRequest&, const auto& r) {
    r->begin({.type = "text/plain"});
    r->write("all");
    r->end();
  });
  HttpClient client(server.port());
  client.send("GET / HTTP/1.0\r\n\r\n");
  const std::string text = client.receive_until("never");  // until it closes
  EXPECT_TRUE(text.ends_with("\r\n\r\nall")) << text;
}

TEST(Http, StopsAfterAllIsAnswered) {
  std::mutex mutex;
  std::vector<std::shared_ptr<HttpReply>> held;
  auto server = std::make_unique<TestServer>(
      HttpConfig{}, [&](const HttpRequest&, std::shared_ptr<HttpReply> r) {
        const std::lock_guard<std::mutex> lock(mutex);
        held.push_back(std::move(r));
      });
  HttpClient client(server->port()), idle(server->port());
  client.send("GET / HTTP/1.1\r\n\r\n");
  ASSERT_TRUE(soon([&] {
    const std::lock_guard<std::mutex> lock(mutex);
    return held.size() == 1;
  }));
  std::thread stopping([&] { server->stop(); });
  EXPECT_TRUE(idle.is_closed_within(5));
  EXPECT_THROW(HttpClient(server->port()), std::exception);
  held.front()->send({.body = "late but whole"});
  held.clear();
  const HttpAnswer answer = client.receive();
  EXPECT_EQ(answer.body, "late but whole");
  EXPECT_EQ(answer.headers.at("connection"), "close");
  stopping.join();
}

// Of what is still coming when the server stops nothing was accepted.
TEST(Http, StopsThoughARequestNeverComesWhole) {
  TestServer server({.rest = 0.2}, echo);
  HttpClient header(server.port()), body(server.port());
  header.send("GET /hea");
  body.send("POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nhalf");
  ASSERT_TRUE(soon([&] { return server.server().connections() == 2; }));
  std::this_thread::sleep_for(100ms);
  const auto begin = std::chrono::steady_clock::now();
  server.stop();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 5s);
  EXPECT_EQ(body.receive().status, 408);
}

TEST(Http, NamesAPortThatIsTaken) {
  TestServer server({}, echo);
  try {
    HttpServer second({.port = server.port()}, echo, [](const auto&) {});
    FAIL();
  } catch (const std::exception& error) {
    EXPECT_NE(std::string(error.what()).find(std::to_string(server.port())),
              std::string::npos);
  }
}

}  // namespace
}  // namespace fovea
