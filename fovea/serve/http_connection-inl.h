#pragma once

// For fovea/serve/http.cc alone: what all connections have.
#include <atomic>
#include <boost/asio.hpp>
#include <chrono>
#include <set>

#include "fovea/serve/http.h"
#include "fovea/serve/http_text.h"

namespace fovea {

namespace net = boost::asio;
using net::ip::tcp;
using NetError = boost::system::error_code;
using Clock = std::chrono::steady_clock;

inline Clock::duration seconds(double count) {
  return std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(count));
}

// What the loop knows of a connection, be it plain or TLS.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  virtual ~Connection() = default;
  virtual void start() = 0;
  virtual bool busy() const = 0;  // with a request that has come whole
  virtual Clock::time_point since() const = 0;  // when it began what it does
  virtual void finish() = 0;  // there will be no more requests
  virtual void close() = 0;
  // For the request of this number only.
  virtual void begin(uint64_t request, HttpResponse head, bool whole) = 0;
  virtual void write(uint64_t request, std::string part) = 0;
  virtual void end(uint64_t request) = 0;
  virtual bool set_on_end(uint64_t request,
                          std::function<void(RequestEnd)> call) = 0;
};

// What all connections share; for the loop's thread alone.
struct Common {
  HttpConfig config;
  HttpServer::Handler handler;
  HttpServer::Log log;
  net::io_context io{1};
  std::set<std::shared_ptr<Connection>> open = {};
  std::atomic<int> count = 0;
  bool stopping = false;
  std::function<void()> on_closed = {};
};

// An error that no handler told of.
inline HttpResponse own_error(const Common& common, int status,
                              std::string_view message) {
  HttpResponse response = error_response(status, message);
  response.headers = common.config.headers;
  return response;
}

class Reply : public HttpReply {
 public:
  Reply(Common& common, std::shared_ptr<Connection> connection,
        uint64_t request)
      : common_(common),
        io_(common.io.get_executor()),
        connection_(std::move(connection)),
        request_(request) {}

  ~Reply() override {
    if (answered_.exchange(true)) return;
    post([common = &common_](Connection& c, uint64_t n) {
      c.begin(n, own_error(*common, 500, "the request got no answer"), true);
    });
  }

  void send(HttpResponse response) override {
    if (answered_.exchange(true)) return;
    post([r = std::move(response)](Connection& c, uint64_t n) mutable {
      c.begin(n, std::move(r), true);
    });
  }

  void begin(HttpResponse head) override {
    post([r = std::move(head)](Connection& c, uint64_t n) mutable {
      c.begin(n, std::move(r), false);
    });
  }

  void write(std::string part) override {
    post([p = std::move(part)](Connection& c, uint64_t n) mutable {
      c.write(n, std::move(p));
    });
  }

  void end() override {
    if (answered_.exchange(true)) return;
    post([](Connection& c, uint64_t n) { c.end(n); });
  }

  void on_end(std::function<void(RequestEnd)> call) override {
    connection_->set_on_end(request_, std::move(call));
  }

 private:
  void post(auto&& act) {
    net::post(io_,
              [c = connection_, n = request_,
               f = std::forward<decltype(act)>(act)]() mutable { f(*c, n); });
  }

  const Common& common_;
  net::io_context::executor_type io_;
  const std::shared_ptr<Connection> connection_;
  const uint64_t request_;
  std::atomic<bool> answered_ = false;
};

}  // namespace fovea
