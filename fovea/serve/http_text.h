#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "fovea/serve/http.h"

namespace fovea {

// How an answer is sent.
struct HttpFraming {
  bool whole = true;     // its length is known
  bool chunked = false;  // or it comes in chunks, or until the end
  bool keep = true;      // the connection stays
};

// The lines before an answer's body.
std::string head_text(const HttpResponse& response, const HttpFraming& framing);
std::string chunk_text(std::string_view part);
std::string last_chunk_text();
std::string_view continue_text();  // "go on" before a body

// Takes scheme and host from the address of a request, and returns the host:
// "http://localhost/health" (RFC 9112, 3.2.2). Most have neither.
std::string take_host(std::string& target);

// {"error": {"message": "...", "code": 400}}
HttpResponse error_response(int status, std::string_view message);

// "/a?b=c": the path and the query.
std::pair<std::string, std::string> split_target(const std::string& target);
std::string small_letters(std::string text);  // ASCII

}  // namespace fovea
