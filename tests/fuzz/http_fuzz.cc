// Any bytes as requests, sent in pieces: the server answers or closes, and
// still answers others.
#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "fovea/serve/http.h"

namespace {

using fovea::HttpRequest;
using fovea::HttpServer;

constexpr int kPatience = 3000;  // milliseconds, more than the server's

void answer(HttpRequest request, std::shared_ptr<fovea::HttpReply> reply) {
  if (request.path == "/stream") {
    reply->begin({.type = "text/plain"});
    reply->write(request.body);
    return reply->end();
  }
  if (request.path == "/forget") return;
  reply->send({.body = request.method + " " + request.path + request.body});
}

// One for all inputs; it goes with the process.
int port() {
  static HttpServer* server = [] {
    auto* made = new HttpServer({.port = 0,
                                 .max_body = 200,
                                 .max_header = 300,
                                 .idle = 0.2,
                                 .header = 0.2,
                                 .body = 0.2,
                                 .half_closed = 0.2},
                                answer, [](const auto&) {});
    std::thread([made] { made->run(); }).detach();
    return made;
  }();
  return server->port();
}

int connected() {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port()));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket, reinterpret_cast<sockaddr*>(&address),
                sizeof(address)) != 0) {
    abort();
  }
  return socket;
}

// All that comes until the server closes, which it must.
std::string read_all(int socket) {
  std::string all;
  char some[4096];
  for (;;) {
    pollfd one{socket, POLLIN, 0};
    const int ready = ::poll(&one, 1, kPatience);
    if (ready < 0 && errno == EINTR) continue;  // the fuzzer's alarm
    if (ready <= 0) abort();
    const auto count = ::recv(socket, some, sizeof(some), 0);
    if (count <= 0) return all;
    all.append(some, static_cast<size_t>(count));
  }
}

bool is_answer(std::string_view text) {
  return text.empty() || text.starts_with("HTTP/1.");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 1) return 0;
  // The first byte is the size of pieces, and whether the client ends its side.
  const size_t piece = 1 + data[0] % 64;
  const bool ends = data[0] < 192;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1,
                               size - 1);
  const int socket = connected();
  for (size_t at = 0; at < bytes.size(); at += piece) {
    const std::string_view part = bytes.substr(at, piece);
    if (::send(socket, part.data(), part.size(), MSG_NOSIGNAL) < 0) break;
  }
  if (ends) ::shutdown(socket, SHUT_WR);
  if (!is_answer(read_all(socket))) abort();
  ::close(socket);

  const int other = connected();
  const std::string_view fine = "GET / HTTP/1.1\r\nConnection: close\r\n\r\n";
  if (::send(other, fine.data(), fine.size(), MSG_NOSIGNAL) < 0) abort();
  if (!read_all(other).ends_with("GET /")) abort();
  ::close(other);
  return 0;
}
