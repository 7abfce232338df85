#include "fovea/serve/http_text.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "fovea/base/check.h"
#include "fovea/base/unicode.h"

namespace fovea {
namespace {

struct StatusName {
  int status;
  const char* name;
};
constexpr StatusName kStatusNames[] = {
    {200, "OK"},
    {204, "No Content"},
    {304, "Not Modified"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {408, "Request Timeout"},
    {413, "Content Too Large"},
    {415, "Unsupported Media Type"},
    {421, "Misdirected Request"},
    {422, "Unprocessable Content"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
    {503, "Service Unavailable"},
};

std::string_view name_of(int status) {
  for (const StatusName& entry : kStatusNames) {
    if (entry.status == status) return entry.name;
  }
  return "Status";
}

}  // namespace

std::string_view HttpRequest::header(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (key == name) return value;
  }
  return {};
}

std::string head_text(const HttpResponse& response,
                      const HttpFraming& framing) {
  std::string text =
      join("HTTP/1.1 ", response.status, " ", name_of(response.status), "\r\n");
  const auto add = [&](std::string_view name, std::string_view value) {
    text.append(name).append(": ").append(value).append("\r\n");
  };
  if (!response.type.empty()) add("Content-Type", response.type);
  const bool has_body = response.status != 204 && response.status != 304;
  if (framing.whole && has_body) {
    add("Content-Length", std::to_string(response.body.size()));
  }
  if (framing.chunked) add("Transfer-Encoding", "chunked");
  for (const auto& [name, value] : response.headers) add(name, value);
  add("Connection", framing.keep ? "keep-alive" : "close");
  return text + "\r\n";
}

std::string chunk_text(std::string_view part) {
  std::ostringstream size;
  size << std::hex << part.size();
  return size.str() + "\r\n" + std::string(part) + "\r\n";
}

std::string last_chunk_text() { return "0\r\n\r\n"; }

std::string_view continue_text() { return "HTTP/1.1 100 Continue\r\n\r\n"; }

HttpResponse error_response(int status, std::string_view message) {
  const nlohmann::ordered_json body = {
      {"error", {{"message", mend_utf8(message)}, {"code", status}}}};
  return {.status = status, .body = body.dump() + "\n"};
}

std::string take_host(std::string& target) {
  const std::string_view all = target;
  const size_t scheme = all.find("://");
  const std::string name = small_letters(std::string(all.substr(0, scheme)));
  if (name != "http" && name != "https") return "";
  const size_t begin = scheme + 3;
  const size_t end = std::min(all.find_first_of("/?", begin), all.size());
  const std::string host(all.substr(begin, end - begin));
  const std::string_view rest = all.substr(end);
  target = join(rest.starts_with('/') ? "" : "/", rest);
  return host;
}

std::pair<std::string, std::string> split_target(const std::string& target) {
  const size_t mark = target.find('?');
  if (mark == std::string::npos) return {target, ""};
  return {target.substr(0, mark), target.substr(mark + 1)};
}

std::string small_letters(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

}  // namespace fovea
