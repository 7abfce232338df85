#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "fovea/serve/http.h"

namespace fovea::testing {

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
inline void echo(const HttpRequest& request,
                 const std::shared_ptr<HttpReply>& reply) {
  reply->send({.type = "text/plain",
               .body = request.method + " " + request.path + " " +
                       request.query + " " + request.body});
}

template <class Condition>
bool soon(const Condition& holds) {
  for (int i = 0; i < 500 && !holds(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return holds();
}

}  // namespace fovea::testing
