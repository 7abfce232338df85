#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace fovea::testing {

struct HttpAnswer {
  int status = 0;  // 0: the connection ended before a whole answer came
  std::map<std::string, std::string> headers = {};  // names in small letters
  std::string body = {};
};

// A client that waits for its answers, over one connection to this machine. It
// can also send what no client should.
class HttpClient {
 public:
  explicit HttpClient(int port, bool tls = false);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  HttpAnswer get(const std::string& path, const std::string& headers = "");
  // `headers` are lines, each with its end: "X-A: b\r\n".
  HttpAnswer post(const std::string& path, const std::string& body,
                  const std::string& headers = "");
  static std::string request_text(const std::string& method,
                                  const std::string& path,
                                  const std::string& body,
                                  const std::string& headers);

  std::string certificate_name() const;  // of TLS: who the server says it is
  void finish_sending();              // the server sees an end, and may answer
  bool send(std::string_view bytes);  // false: the connection is gone
  HttpAnswer receive(bool has_body = true);
  // Of the body of a stream, as they come: until this text was seen.
  std::string receive_until(const std::string& text);
  // Whether the server closes within so many seconds.
  bool is_closed_within(double seconds);
  void close();

 private:
  struct Connection;
  bool read_more();
  bool receive_chunks(std::string& body);

  std::unique_ptr<Connection> connection_;
  std::string buffer_;
};

}  // namespace fovea::testing
