#include "fovea/serve/http.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <map>
#include <mutex>
#include <thread>

#include "support/http_client.h"

namespace fovea {
namespace {

using namespace fovea::testing;
using namespace std::chrono_literals;

// A server that answers with what a test says.
class TestServer {
 public:
  explicit TestServer(HttpConfig config, HttpServer::Handler handler)
      : server_(with_port(config), std::move(handler),
                [this](const HttpAccess& a) { log(a); }),
        thread_([this] { server_.run(); }) {}

  ~TestServer() { stop(); }

  void stop() {
    server_.stop();
    if (thread_.joinable()) thread_.join();
  }

  HttpServer& server() { return server_; }
  int port() const { return server_.port(); }
  std::vector<HttpAccess> accesses() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return accesses_;
  }

 private:
  static HttpConfig with_port(HttpConfig config) {
    config.port = 0;
    return config;
  }
  void log(const HttpAccess& access) {
    const std::lock_guard<std::mutex> lock(mutex_);
    accesses_.push_back(access);
  }

  std::mutex mutex_;
  std::vector<HttpAccess> accesses_;
  HttpServer server_;
  std::thread thread_;
};

// The request as text.
void echo(const HttpRequest& request, const std::shared_ptr<HttpReply>& reply) {
  reply->send({.type = "text/plain",
               .body = request.method + " " + request.path + " " +
                       request.query + " " + request.body});
}

template <class Condition>
bool soon(const Condition& holds) {
  for (int i = 0; i < 500 && !holds(); ++i) std::this_thread::sleep_for(10ms);
  return holds();
}

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
  TestServer server({.max_connections = 8}, echo);
  std::vector<std::unique_ptr<HttpClient>> slow;
  for (int i = 0; i < 30; ++i) {
    slow.push_back(std::make_unique<HttpClient>(server.port()));
    slow.back()->send("GET / HTTP/1.1\r\nX-");
  }
  HttpClient client(server.port());
  EXPECT_EQ(client.get("/").status, 200);
  EXPECT_LE(server.server().connections(), 8);
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

TEST(Http, NoticesAClientThatGoesWhileItsRequestIsHandled) {
  std::atomic<int> gone = 0;
  std::mutex mutex;
  std::vector<std::shared_ptr<HttpReply>> held;
  TestServer server({}, [&](const HttpRequest&, std::shared_ptr<HttpReply> r) {
    r->on_end([&](RequestEnd why) { gone += why == RequestEnd::kGone; });
    const std::lock_guard<std::mutex> lock(mutex);
    held.push_back(std::move(r));
  });
  {
    HttpClient client(server.port());
    client.send("GET /x HTTP/1.1\r\n\r\n");
    ASSERT_TRUE(soon([&] {
      const std::lock_guard<std::mutex> lock(mutex);
      return held.size() == 1;
    }));
    EXPECT_EQ(gone, 0);
  }
  EXPECT_TRUE(soon([&] { return gone == 1; }));
  EXPECT_EQ(server.accesses().at(0).status, 499);
  held.front()->send({});  // too late, and harmless
  held.clear();
}

TEST(Http, AnswersAClientThatEndsItsSide) {
  std::thread answering;
  TestServer server({}, [&](const HttpRequest&, std::shared_ptr<HttpReply> r) {
    answering = std::thread([r] {
      std::this_thread::sleep_for(300ms);
      r->send({.body = "late"});
    });
  });
  HttpClient client(server.port());
  client.send("GET / HTTP/1.1\r\n\r\n");
  client.finish_sending();
  const HttpAnswer answer = client.receive();
  EXPECT_EQ(answer.body, "late");
  EXPECT_EQ(answer.headers.at("connection"), "close");
  EXPECT_TRUE(client.is_closed_within(5));
  answering.join();
}

TEST(Http, StreamsToAClientThatEndedItsSideForAsLongAsItTakes) {
  std::thread answering;
  TestServer server({.half_closed = 0.3},
                    [&](const HttpRequest&, std::shared_ptr<HttpReply> r) {
                      answering = std::thread([r] {
                        r->begin({.type = "text/plain"});
                        for (int i = 0; i < 10; ++i) {
                          r->write("part ");
                          std::this_thread::sleep_for(100ms);
                        }
                        r->end();
                      });
                    });
  HttpClient client(server.port());
  client.send("GET / HTTP/1.1\r\n\r\n");
  client.finish_sending();
  EXPECT_EQ(client.receive().body.size(), 50u);
  answering.join();
}

TEST(Http, GivesUpAClientThatGoesWhileItStreams) {
  std::atomic<bool> gone = false;
  std::thread answering;
  TestServer server({.half_closed = 60},
                    [&](const HttpRequest&, std::shared_ptr<HttpReply> r) {
                      r->on_end([&](RequestEnd) { gone = true; });
                      answering = std::thread([r, &gone] {
                        r->begin({.type = "text/plain"});
                        for (int i = 0; i < 500 && !gone; ++i) {
                          r->write("part ");
                          std::this_thread::sleep_for(10ms);
                        }
                        r->end();
                      });
                    });
  HttpClient client(server.port());
  client.send("GET / HTTP/1.1\r\n\r\n");
  client.receive_until("part");
  client.close();
  EXPECT_TRUE(soon([&] { return gone.load(); }));
  answering.join();
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
