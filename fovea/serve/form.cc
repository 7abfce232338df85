#include "fovea/serve/form.h"

#include <algorithm>

#include "fovea/base/unicode.h"
#include "fovea/base/words.h"
#include "fovea/serve/http_error.h"
#include "fovea/serve/http_text.h"

namespace fovea {
namespace {

constexpr int kMostFields = 2048;  // each is looked for among those before

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// The fields of a form, one after another.
class FormFields {
 public:
  void add(const std::string& name, std::string value) {
    check_request(is_utf8(name) && is_utf8(value), 400,
                  "the form is not UTF-8");
    check_request(++count_ <= kMostFields, 413, "the form has more than ",
                  kMostFields, " fields");
    if (!object_.contains(name)) {
      object_[name] = std::move(value);
      return;
    }
    Json& before = object_[name];
    if (!before.is_array()) before = Json::array({before});
    before.push_back(std::move(value));
  }
  Json object() && { return std::move(object_); }

 private:
  Json object_ = Json::object();
  int count_ = 0;
};

Json read_url_encoded(std::string_view body) {
  FormFields fields;
  while (!body.empty()) {
    const std::string_view pair = body.substr(0, body.find('&'));
    body.remove_prefix(std::min(body.size(), pair.size() + 1));
    if (pair.empty()) continue;
    const size_t equals = std::min(pair.find('='), pair.size());
    fields.add(url_decoded(pair.substr(0, equals)),
               url_decoded(pair.substr(std::min(pair.size(), equals + 1))));
  }
  return std::move(fields).object();
}

// What stands behind `key` in a header, with or without quotes.
std::string parameter(std::string_view header, std::string_view key) {
  const size_t at = header.find(key);
  if (at == std::string_view::npos) return "";
  header.remove_prefix(at + key.size());
  if (header.starts_with('"')) {
    header.remove_prefix(1);
    return std::string(header.substr(0, header.find('"')));
  }
  return std::string(header.substr(0, header.find_first_of("; \r\n")));
}

Json read_multipart(std::string_view body, const std::string& boundary) {
  FormFields fields;
  const std::string mark = "--" + boundary, next = "\r\n" + mark;
  check_request(!boundary.empty() && body.starts_with(mark), 400,
                "the form has no boundary");
  body.remove_prefix(mark.size());
  while (body.starts_with("\r\n")) {
    body.remove_prefix(2);
    const size_t blank = body.find("\r\n\r\n");
    check_request(blank != body.npos, 400, "the form is cut off");
    const size_t value = blank + 4;
    const size_t end = body.find(next);  // of the part
    check_request(end != body.npos && value <= end, 400, "the form is cut off");
    const std::string name = parameter(body.substr(0, blank), " name=");
    fields.add(name, std::string(body.substr(value, end - value)));
    body.remove_prefix(end + next.size());
  }
  return std::move(fields).object();
}

// The fields of the body alone.
Json read_body(const HttpRequest& request) {
  const std::string type(request.header("content-type"));
  const std::string small = small_letters(type);
  if (small.starts_with("multipart/form-data")) {
    return read_multipart(request.body, parameter(type, "boundary="));
  }
  const size_t first = request.body.find_first_not_of(" \t\r\n");
  const bool is_object =
      first != std::string::npos && request.body[first] == '{';
  if (small.starts_with("application/x-www-form-urlencoded") && !is_object) {
    return read_url_encoded(request.body);
  }
  return parse_object(request.body);
}

}  // namespace

std::string url_decoded(std::string_view text) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+') {
      decoded += ' ';
    } else if (text[i] == '%' && i + 2 < text.size() &&
               hex_digit(text[i + 1]) >= 0 && hex_digit(text[i + 2]) >= 0) {
      decoded += static_cast<char>(16 * hex_digit(text[i + 1]) +
                                   hex_digit(text[i + 2]));
      i += 2;
    } else {
      decoded += text[i];
    }
  }
  return decoded;
}

Json read_form(const HttpRequest& request) {
  if (request.query.empty()) return read_body(request);
  Json form = read_url_encoded(request.query);
  if (!request.body.empty()) form.update(read_body(request));
  return form;
}

std::string form_field(const HttpRequest& request, const std::string& name) {
  try {
    const Json form = read_form(request);
    const auto found = form.find(name);
    if (found != form.end() && found->is_string()) return *found;
  } catch (const HttpError&) {  // told by whoever needs the body
  }
  return "";
}

}  // namespace fovea
