// serve_load PORT TEXT CLIENTS SECONDS [RATE]
//
// Asks a server on this machine for translations of the lines of a text, one in
// each request: CLIENTS connections at a time, each with its next request as
// soon as it has its answer or, all together, RATE requests a second. Beside
// them /health is asked ten times a second, and at the end, while answers are
// still waited for, a new client asks until it has a translation. Prints one
// line of JSON. One thread; its own CPU time is stated.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "fovea/base/check.h"
#include "fovea/io/text_file.h"

namespace fovea::bench {
namespace {

using Clock = std::chrono::steady_clock;
using nlohmann::json;

double now() {
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

int connected(int port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int on = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  if (::connect(socket, reinterpret_cast<sockaddr*>(&address),
                sizeof(address)) == 0) {
    ::fcntl(socket, F_SETFL, O_NONBLOCK);
    return socket;
  }
  ::close(socket);
  return -1;
}

// One connection and what it waits for.
class Client {
 public:
  explicit Client(int port) : port_(port), socket_(connected(port)) {}

  int socket() const { return socket_; }
  bool waits() const { return waits_; }
  double since() const { return since_; }

  void ask(const std::string& request) {
    since_ = now();
    waits_ = true;
    request_ = request;
    is_kept_ = socket_ >= 0;
    send();
  }

  // The status of an answer that is whole now; 0: not yet; -1: lost.
  int read() {
    if (socket_ < 0) return waits_ ? done(-1) : 0;
    char some[16384];
    const int64_t count = ::recv(socket_, some, sizeof(some), 0);
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return 0;
    if (count <= 0) {
      fail();
      // A server may close what is idle: RFC 9112, section 9.3.1, has clients
      // ask again.
      if (waits_ && buffer_.empty() && std::exchange(is_kept_, false)) {
        send();
        return 0;
      }
      return waits_ ? done(-1) : 0;
    }
    buffer_.append(some, static_cast<size_t>(count));
    const size_t end = buffer_.find("\r\n\r\n");
    if (end == std::string::npos) return 0;
    const std::string length = "Content-Length: ";
    const size_t at = buffer_.find(length);
    const size_t size =
        at < end ? std::stoul(buffer_.substr(at + length.size())) : 0;
    if (buffer_.size() < end + 4 + size) return 0;
    body_ = buffer_.substr(end + 4);
    const int status = std::stoi(buffer_.substr(9, 3));
    if (buffer_.find("Connection: close") < end) fail();
    return done(status);
  }

  const std::string& body() const { return body_; }

 private:
  void send() {
    if (socket_ < 0) socket_ = connected(port_);
    buffer_.clear();
    // Requests are small: a socket takes one whole.
    if (socket_ < 0 || ::send(socket_, request_.data(), request_.size(),
                              MSG_NOSIGNAL) != std::ssize(request_)) {
      fail();
      if (std::exchange(is_kept_, false)) send();
    }
  }
  void fail() {
    if (socket_ >= 0) ::close(socket_);
    socket_ = -1;
  }
  int done(int status) {
    waits_ = false;
    return status;
  }

  const int port_;
  int socket_;
  bool waits_ = false;
  bool is_kept_ = false;  // the connection had an answer before
  double since_ = 0;
  std::string request_, buffer_, body_;
};

std::string post(const std::string& text) {
  const std::string body = json{{"text", text}}.dump();
  return join(
      "POST /v1/translate HTTP/1.1\r\nHost: localhost\r\n"
      "Content-Type: application/json\r\nContent-Length: ",
      body.size(), "\r\n\r\n", body);
}

// What the server says of itself.
struct ServerState {
  double cpu = 0, megabytes = 0, batches = 0, sentences = 0;
};

ServerState state_of(int port) {
  Client client(port);
  client.ask("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
  while (client.read() == 0) ::usleep(1000);
  const auto number = [&](const std::string& name) {
    const size_t at = client.body().find("\n" + name + " ");
    check(at != std::string::npos, "/metrics has no ", name);
    return std::stod(client.body().substr(at + name.size() + 2));
  };
  return {number("process_cpu_seconds_total"),
          number("process_resident_memory_bytes") / (1 << 20),
          number("fovea_batch_sentences_count"),
          number("fovea_batch_sentences_sum")};
}

struct LoadCase {
  int port, clients;
  double seconds, rate;  // 0: as fast as answers come
  std::vector<std::string> requests;
};

class Load {
 public:
  explicit Load(LoadCase c) : case_(std::move(c)), health_(case_.port) {
    for (int i = 0; i < case_.clients; ++i) clients_.emplace_back(case_.port);
  }

  json run() {
    const ServerState before = state_of(case_.port);
    const double begin = now(), end = begin + case_.seconds;
    begin_ = begin;
    while (now() < end) turn(true);
    const double asked_until = now();
    const double recovery = recover(end + 60);
    while (waiting() && now() < end + 60) turn(false);
    const ServerState after = state_of(case_.port);
    json result = report(before, after, asked_until - begin);
    result["recovery_ms"] = 1e3 * recovery;
    return result;
  }

 private:
  bool waiting() const {
    return std::ranges::any_of(clients_,
                               [](const Client& c) { return c.waits(); });
  }

  // Seconds until a newcomer has a translation.
  double recover(double end) {
    const double begin = now();
    Client newcomer(case_.port);
    int status = 0;
    while (status != 200 && now() < end) {
      if (!newcomer.waits()) newcomer.ask(case_.requests.front());
      turn(false);
      status = newcomer.read();
    }
    return now() - begin;
  }

  // Asks who is free, and waits for answers for a moment.
  void turn(bool more) {
    for (Client& client : clients_) {
      if (!more || client.waits() || !due()) continue;
      client.ask(case_.requests[asked_++ % case_.requests.size()]);
    }
    if (more && !health_.waits() && now() >= next_health_) {
      health_.ask("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n");
      next_health_ = now() + 0.1;
    }
    std::vector<pollfd> all;
    for (const Client& client : clients_) {
      all.push_back({client.socket(), POLLIN, 0});
    }
    all.push_back({health_.socket(), POLLIN, 0});
    ::poll(all.data(), all.size(), 5);
    for (size_t i = 0; i < clients_.size(); ++i) {
      if (all[i].revents != 0 || clients_[i].socket() < 0) note(clients_[i]);
    }
    if (all.back().revents != 0 && health_.read() != 0) {
      slowest_health_ = std::max(slowest_health_, now() - health_.since());
    }
  }

  bool due() const {
    return case_.rate <= 0 ||
           static_cast<double>(asked_) < (now() - begin_) * case_.rate;
  }

  void note(Client& client) {
    const int status = client.read();
    if (status == 0) return;
    if (status == 200) times_.push_back(now() - client.since());
    refused_ += status == 429 || status == 503;
    errors_ += status != 200 && status != 429 && status != 503;
  }

  double percentile(double share) {
    if (times_.empty()) return 0;
    const auto at =
        static_cast<int64_t>(share * static_cast<double>(times_.size() - 1));
    std::nth_element(times_.begin(), times_.begin() + at, times_.end());
    return 1e3 * times_[at];
  }

  json report(const ServerState& before, const ServerState& after,
              double seconds) {
    rusage own{};
    ::getrusage(RUSAGE_SELF, &own);
    const double cpu = after.cpu - before.cpu;
    const auto answers = static_cast<double>(times_.size());
    return {{"clients", case_.clients},
            {"seconds", seconds},
            {"answers", times_.size()},
            {"refused", refused_},
            {"errors", errors_},
            {"sentences_per_second", answers / seconds},
            {"sentences_per_cpu_second", answers / cpu},
            {"p50_ms", percentile(0.5)},
            {"p99_ms", percentile(0.99)},
            {"slowest_health_ms", 1e3 * slowest_health_},
            {"mean_batch", (after.sentences - before.sentences) /
                               std::max(1.0, after.batches - before.batches)},
            {"server_cpu_seconds", cpu},
            {"own_cpu_seconds",
             static_cast<double>(own.ru_utime.tv_sec + own.ru_stime.tv_sec) +
                 1e-6 * static_cast<double>(own.ru_utime.tv_usec +
                                            own.ru_stime.tv_usec)},
            {"server_megabytes_before", before.megabytes},
            {"server_megabytes_after", after.megabytes}};
  }

  const LoadCase case_;
  std::vector<Client> clients_;
  Client health_;
  double begin_ = 0, next_health_ = 0, slowest_health_ = 0;
  size_t asked_ = 0;
  int64_t refused_ = 0, errors_ = 0;
  std::vector<double> times_;
};

int run(const std::vector<std::string>& arguments) {
  check_usage(arguments.size() == 4 || arguments.size() == 5,
              "give PORT TEXT CLIENTS SECONDS [RATE]");
  LoadCase c{.port = std::stoi(arguments[0]),
             .clients = std::stoi(arguments[2]),
             .seconds = std::stod(arguments[3]),
             .rate = arguments.size() == 5 ? std::stod(arguments[4]) : 0,
             .requests = {}};
  LineReader reader(arguments[1]);
  while (const auto line = reader.next()) {
    c.requests.push_back(post(std::string(*line)));
  }
  check_data(!c.requests.empty(), arguments[1], ": has no line");
  std::cout << Load(std::move(c)).run() << "\n";
  return 0;
}

}  // namespace
}  // namespace fovea::bench

int main(int argc, char** argv) {
  try {
    return fovea::bench::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::cerr << "serve_load: " << error.what() << "\n";
    return 1;
  }
}
