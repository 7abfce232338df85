#include "support/http_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>

#include "fovea/base/check.h"
#include "fovea/serve/http_text.h"

namespace fovea::testing {
namespace {

constexpr int kLongestWait = 60;  // seconds

int connect_to(int port) {
  std::signal(SIGPIPE, SIG_IGN);
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const timeval limit{kLongestWait, 0};
  ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
  check(::connect(socket, reinterpret_cast<sockaddr*>(&address),
                  sizeof(address)) == 0,
        "cannot connect to port ", port);
  return socket;
}

}  // namespace

struct HttpClient::Connection {
  explicit Connection(int port) : socket(connect_to(port)) {}
  ~Connection() {
    if (ssl != nullptr) SSL_free(ssl);
    if (context != nullptr) SSL_CTX_free(context);
    if (socket >= 0) ::close(socket);
  }

  void start_tls() {
    context = SSL_CTX_new(TLS_client_method());
    ssl = SSL_new(context);
    SSL_set_fd(ssl, socket);
    check(SSL_connect(ssl) == 1, "no TLS");
  }

  int64_t write(std::string_view bytes) const {
    return ssl != nullptr
               ? SSL_write(ssl, bytes.data(), static_cast<int>(bytes.size()))
               : ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }

  int64_t read(char* to, size_t size) const {
    return ssl != nullptr ? SSL_read(ssl, to, static_cast<int>(size))
                          : ::recv(socket, to, size, 0);
  }

  int socket;
  SSL_CTX* context = nullptr;
  SSL* ssl = nullptr;
};

HttpClient::HttpClient(int port, bool tls)
    : connection_(std::make_unique<Connection>(port)) {
  if (tls) connection_->start_tls();
}

HttpClient::~HttpClient() = default;

void HttpClient::close() {
  ::close(connection_->socket);
  connection_->socket = -1;
}

std::string HttpClient::request_text(const std::string& method,
                                     const std::string& path,
                                     const std::string& body,
                                     const std::string& headers) {
  std::string text =
      join(method, " ", path, " HTTP/1.1\r\nHost: localhost\r\n", headers);
  if (method == "POST") text += join("Content-Length: ", body.size(), "\r\n");
  return text + "\r\n" + body;
}

HttpAnswer HttpClient::get(const std::string& path,
                           const std::string& headers) {
  if (!send(request_text("GET", path, "", headers))) return {};
  return receive();
}

HttpAnswer HttpClient::post(const std::string& path, const std::string& body,
                            const std::string& headers) {
  if (!send(request_text("POST", path, body, headers))) return receive();
  return receive();
}

std::string HttpClient::certificate_name() const {
  X509* certificate = SSL_get1_peer_certificate(connection_->ssl);
  char name[100] = "";
  X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName,
                            name, sizeof(name));
  X509_free(certificate);
  return name;
}

void HttpClient::finish_sending() { ::shutdown(connection_->socket, SHUT_WR); }

bool HttpClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const int64_t sent = connection_->write(bytes);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

bool HttpClient::read_more() {
  char some[4096];
  const int64_t count = connection_->read(some, sizeof(some));
  if (count <= 0) return false;
  buffer_.append(some, static_cast<size_t>(count));
  return true;
}

HttpAnswer HttpClient::receive(bool has_body) {
  size_t end = 0;
  while ((end = buffer_.find("\r\n\r\n")) == std::string::npos) {
    if (!read_more()) return {};
  }
  HttpAnswer answer;
  const std::string head = buffer_.substr(0, end + 2);
  buffer_.erase(0, end + 4);
  const int status = std::stoi(head.substr(9, 3));
  for (size_t at = head.find("\r\n") + 2; at < head.size();) {
    const size_t colon = head.find(": ", at), line_end = head.find("\r\n", at);
    answer.headers[small_letters(head.substr(at, colon - at))] =
        head.substr(colon + 2, line_end - colon - 2);
    at = line_end + 2;
  }
  if (status == 100) return receive(has_body);
  const auto length = answer.headers.find("content-length");
  if (has_body && length != answer.headers.end()) {
    const size_t size = std::stoul(length->second);
    while (buffer_.size() < size) {
      if (!read_more()) return {};
    }
    answer.body = buffer_.substr(0, size);
    buffer_.erase(0, size);
  }
  if (has_body && answer.headers.count("transfer-encoding") != 0) {
    if (!receive_chunks(answer.body)) return {};
  }
  answer.status = status;
  return answer;
}

bool HttpClient::receive_chunks(std::string& body) {
  for (;;) {
    const std::string line = receive_until("\r\n");
    if (!line.ends_with("\r\n")) return false;
    const size_t size = std::stoul(line, nullptr, 16);
    while (buffer_.size() < size + 2) {
      if (!read_more()) return false;
    }
    body += buffer_.substr(0, size);
    buffer_.erase(0, size + 2);
    if (size == 0) return true;
  }
}

std::string HttpClient::receive_until(const std::string& text) {
  size_t at = 0;
  while ((at = buffer_.find(text)) == std::string::npos) {
    if (!read_more()) return std::exchange(buffer_, {});
  }
  std::string all = buffer_.substr(0, at + text.size());
  buffer_.erase(0, all.size());
  return all;
}

bool HttpClient::is_closed_within(double seconds) {
  pollfd wait{connection_->socket, POLLIN, 0};
  while (::poll(&wait, 1, static_cast<int>(1000 * seconds)) == 1) {
    if (!read_more()) return true;
  }
  return false;
}

}  // namespace fovea::testing
