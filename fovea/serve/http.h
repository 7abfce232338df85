#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fovea {

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

struct HttpResponse {
  int status = 200;
  std::string type = "application/json";
  std::string body = {};
  HttpHeaders headers = {};
};

struct HttpConfig {
  std::string host = "127.0.0.1";
  int port = 8080;               // 0: one that is free
  std::string certificate = {};  // PEM files of TLS; none: plain
  std::string key = {};
  int64_t max_body = int64_t{1} << 20;
  int64_t max_header = int64_t{16} << 10;
  int max_connections = 512;
  // Bytes of answers that clients have not taken yet. Beyond it a connection
  // goes, of the client that has the most of them.
  int64_t max_unsent = int64_t{256} << 20;
  bool log_bodies = false;  // HttpAccess has the requests' bodies
  // Seconds that a client may take: between requests, for the lines of a
  // header, for a body, and to take what is sent.
  double idle = 60, header = 10, body = 30, write = 30;
  double answer = 60;  // that we may take for an answer
  // That a connection is left alone, however many there are.
  double young = 0.5;
  double grace =
      0.5;  // that an idle client has for one more request at the end
  // A client may end its side and still wait for the answer. One that has gone
  // looks the same until something is sent: so long it is believed.
  double half_closed = 2;
  double rest = 1;  // that the rest of a request may take at the end
  // Answers that no handler gives, to a path, which is empty if it has not come
  // yet; and their headers.
  std::function<HttpResponse(const std::string& path, int status,
                             std::string_view message)>
      error = {};
  HttpHeaders headers = {};
};

// A request that has come whole.
struct HttpRequest {
  std::string method = {};  // "GET"
  std::string path = {};    // as it was sent, without the query
  std::string query = {};
  int version = 11;          // of HTTP: 11 for 1.1
  HttpHeaders headers = {};  // names in small letters
  std::string body = {};
  std::string address = {};  // the client's
  uint64_t connection = 0;   // each has a number of its own
  // It came over a connection beyond max_connections: some are kept to tell so.
  bool spare = false;

  // Empty if there is no such header; the name in small letters.
  std::string_view header(std::string_view name) const;
};

// Why a request needs no answer any more.
enum class RequestEnd { kGone, kLate };

// Where the answer to one request goes. Threads may share one; it must not
// outlive the server. If the last owner lets it go without an answer, the
// client gets an error.
class HttpReply {
 public:
  virtual ~HttpReply() = default;
  // The whole answer; what comes after it is ignored.
  virtual void send(HttpResponse response) = 0;
  // Or: the head of an answer, parts of its body as they come, its end.
  virtual void begin(HttpResponse head) = 0;
  virtual void write(std::string part) = 0;
  virtual void end() = 0;
  // Called once at most, by the server's thread, if the client goes before it
  // has all of its answer or if that takes too long; then an answer still goes
  // out. Not called after the end. To be set before the handler returns.
  virtual void on_end(std::function<void(RequestEnd)> call) = 0;
};

// What is known when a request is done with.
struct HttpAccess {
  std::string method, path, address;
  int status = 0;                  // 499: the client went away
  int64_t received = 0, sent = 0;  // bytes of bodies
  double seconds = 0;
  std::string body = {};  // the request's, if wanted
};

// An HTTP/1.1 server on one thread, which never waits for a client: connections
// cost memory alone. The only place that knows Boost (Asio and Beast).
class HttpServer {
 public:
  // Both are called by the server's thread; they must be quick.
  using Handler = std::function<void(HttpRequest request,
                                     std::shared_ptr<HttpReply> reply)>;
  using Log = std::function<void(const HttpAccess& access)>;

  // Listens; clients wait until run(). A run error names the address if it
  // cannot be had, a data error the certificate or key that is not right.
  HttpServer(const HttpConfig& config, Handler handler, Log log);
  ~HttpServer();

  int port() const;
  std::string url() const;  // "http://127.0.0.1:8080"
  bool is_local() const;    // only this machine can reach it
  // From any thread: reads the certificate and its key anew, for connections to
  // come. An error leaves those from before.
  void load_certificate();
  // Until stop() is called and all that was accepted is answered.
  void run();
  // From any thread: takes no more connections, answers what has come.
  void stop();
  int connections() const;  // from any thread

 private:
  class Loop;
  std::unique_ptr<Loop> loop_;
};

}  // namespace fovea
