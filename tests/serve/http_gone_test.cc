// Clients that go, or look as if they had gone.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include "serve/test_http_server.h"
#include "support/http_client.h"

namespace fovea {
namespace {

using namespace fovea::testing;
using namespace std::chrono_literals;

TEST(HttpGone, NoticesAClientThatGoesWhileItsRequestIsHandled) {
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

TEST(HttpGone, NoticesAClientThatGoesThoughItSentMoreThanItsRequest) {
  std::atomic<int> gone = 0, held = 0;
  std::vector<std::shared_ptr<HttpReply>> replies;
  TestServer server({.half_closed = 0.1},
                    [&](const HttpRequest&, std::shared_ptr<HttpReply> r) {
                      r->on_end([&](RequestEnd) { ++gone; });
                      replies.push_back(std::move(r));
                      ++held;
                    });
  const std::string request = "GET /x HTTP/1.1\r\n\r\n";
  int count = 0;
  for (const std::string& more :
       {std::string("\r\n"), request, std::string(20000, 'x')}) {
    HttpClient client(server.port());
    client.send(request + more);
    ++count;
    ASSERT_TRUE(soon([&] { return held == count; }));
    client.close();
    EXPECT_TRUE(soon([&] { return gone == count; })) << more.size();
  }
  server.stop();
  replies.clear();
}

TEST(HttpGone, AnswersAllRequestsOfAClientThatEndsItsSide) {
  TestServer server({}, echo);
  HttpClient client(server.port());
  client.send("GET /1 HTTP/1.1\r\n\r\nGET /2 HTTP/1.1\r\n\r\n");
  client.finish_sending();
  EXPECT_EQ(client.receive().body, "GET /1  ");
  EXPECT_EQ(client.receive().body, "GET /2  ");
  EXPECT_TRUE(client.is_closed_within(5));
}

TEST(HttpGone, AnswersARequestThatComesWhileAnotherIsHandled) {
  std::thread answering;
  TestServer server({},
                    [&](const HttpRequest& q, std::shared_ptr<HttpReply> r) {
                      if (q.path == "/2") return echo(q, r);
                      answering = std::thread([q, r] {
                        std::this_thread::sleep_for(300ms);
                        echo(q, r);
                      });
                    });
  HttpClient client(server.port());
  client.send("GET /1 HTTP/1.1\r\n\r\n");
  std::this_thread::sleep_for(50ms);
  for (const char* part : {"GET ", "/2 HT", "TP/1.1\r\n\r\n"}) {
    client.send(part);
    std::this_thread::sleep_for(50ms);
  }
  EXPECT_EQ(client.receive().body, "GET /1  ");
  EXPECT_EQ(client.receive().body, "GET /2  ");
  answering.join();
}

TEST(HttpGone, AnswersAClientThatEndsItsSide) {
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

TEST(HttpGone, StreamsToAClientThatEndedItsSideForAsLongAsItTakes) {
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

TEST(HttpGone, GivesUpAClientThatGoesWhileItStreams) {
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

}  // namespace
}  // namespace fovea
