#pragma once

// For fovea/serve/http.cc alone: what all connections have.
#include <atomic>
#include <boost/asio.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <set>
#include <tuple>

#include "fovea/base/check.h"
#include "fovea/serve/http.h"
#include "fovea/serve/http_text.h"

namespace fovea {

namespace net = boost::asio;
using net::ip::tcp;
using NetError = boost::system::error_code;
using Clock = std::chrono::steady_clock;

constexpr size_t kReadAhead = 4096;
constexpr size_t kMostAhead = 1 << 16;   // bytes kept behind a request
constexpr size_t kMostCopied = 1 << 16;  // bytes of a body behind its head
constexpr int64_t kMostDiscarded = int64_t{64} << 20;
constexpr double kHandshake = 10, kLinger = 2, kRest = 0.1;  // seconds

inline Clock::duration seconds(double count) {
  return std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(count));
}

inline double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// What the loop knows of a connection, be it plain or TLS.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  virtual ~Connection() = default;
  virtual void start() = 0;
  virtual bool busy() const = 0;  // with a request that has come whole
  virtual Clock::time_point since() const = 0;  // when it began what it does
  virtual bool spare() const = 0;               // beyond max_connections
  virtual const std::string& address() const = 0;
  virtual int64_t unsent() const = 0;  // bytes
  virtual void finish() = 0;           // there will be no more requests
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
  int64_t unsent = 0;  // bytes, of all
  std::function<void()> on_closed = {}, on_too_much_unsent = {};
};

// Why a request cannot be read; status 0: nobody is there to be told, or
// nothing is wrong.
struct Refusal {
  int status;
  std::string message;
};

// An error that no handler told of.
inline HttpResponse own_error(const Common& common, const std::string& path,
                              const Refusal& what) {
  HttpResponse response =
      common.config.error ? common.config.error(path, what.status, what.message)
                          : error_response(what.status, what.message);
  response.headers = common.config.headers;
  return response;
}

// What the first line of a request asks for, and whom.
struct Place {
  std::string host, path, query;
};
inline Place place_of(const boost::beast::http::request_header<>& header) {
  std::string target(header.target());
  Place place;
  place.host = take_host(target);
  std::tie(place.path, place.query) = split_target(target);
  return place;
}

inline HttpRequest request_of(
    boost::beast::http::request<boost::beast::http::string_body> message) {
  HttpRequest request;
  request.method = std::string(message.method_string());
  const Place place = place_of(message);
  request.path = place.path;
  request.query = place.query;
  if (!place.host.empty()) request.headers.emplace_back("host", place.host);
  for (const auto& field : message) {
    request.headers.emplace_back(
        small_letters(std::string(field.name_string())),
        std::string(field.value()));
  }
  request.body = std::move(message.body());
  request.version = static_cast<int>(message.version());
  return request;
}

inline HttpAccess access_of(const HttpRequest& request, bool with_body) {
  return {.method = request.method,
          .path = request.path,
          .address = request.address,
          .received = std::ssize(request.body),
          .body = with_body ? request.body : ""};
}

// What is wrong with a header that can be read.
inline Refusal fault_of(const boost::beast::http::request_header<>& header) {
  using Field = boost::beast::http::field;
  if (header.count(Field::host) > 1) return {400, "it has two Host headers"};
  const auto coding = header[Field::transfer_encoding];
  if (!coding.empty() && !boost::beast::iequals(coding, "chunked")) {
    return {400, "no Transfer-Encoding but chunked is known here"};
  }
  return {0, ""};
}

inline Refusal refusal_of(NetError why, bool is_late,
                          const HttpConfig& config) {
  using Kind = boost::beast::http::error;
  if (is_late) return {408, "the request took too long to arrive"};
  if (why == Kind::body_limit) {
    return {413, join("the body is larger than ", config.max_body, " bytes")};
  }
  if (why == Kind::header_limit || why == Kind::buffer_overflow) {
    return {431,
            join("the header is larger than ", config.max_header, " bytes")};
  }
  // Others are of Beast's parser, or the connection is gone.
  const bool gone =
      why == Kind::end_of_stream || why == Kind::partial_message ||
      why.category() != make_error_code(Kind::bad_version).category();
  if (gone) return {0, ""};
  return {400, "this is no HTTP/1.1 request: " + why.message()};
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
      c.begin(n, own_error(*common, "", {500, "the request got no answer"}),
              true);
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
