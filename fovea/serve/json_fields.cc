#include "fovea/serve/json_fields.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "fovea/base/check.h"
#include "fovea/base/nearest.h"
#include "fovea/base/unicode.h"
#include "fovea/serve/http_error.h"

namespace fovea {
namespace {

constexpr int kDeepest = 32, kMostFields = 256;

template <class... Parts>
[[noreturn]] void refuse(const Parts&... parts) {
  throw HttpError(400, join(parts...));
}

// 5.0 is a whole number, too.
template <class T>
T whole_number(const Json& value, const std::string& name,
               const Limits<T>& limits) {
  const double number = value.is_number() ? value.get<double>() : NAN;
  if (!(number >= static_cast<double>(limits.least) &&
        number <= static_cast<double>(limits.most) &&
        number == std::floor(number))) {
    refuse("\"", name, "\" must be a whole number from ", limits.least, " to ",
           limits.most);
  }
  return static_cast<T>(number);
}

std::string string_of(const Json& value, const std::string& name) {
  if (!value.is_string()) refuse("\"", name, "\" must be a text");
  return value.get<std::string>();
}

// What would take its time by the square is seen before: the parser looks for
// each field among those before it. (It could be told to ask us, but looks at
// all elements of a list behind each then.)
void check_shape(std::string_view body) {
  std::array<int, kDeepest + 1> fields = {};  // of the objects that are open
  int depth = 0;
  bool in_text = false;
  for (size_t i = 0; i < body.size(); ++i) {
    const char c = body[i];
    if (c == '"') in_text = !in_text;
    if (in_text) {
      if (c == '\\') ++i;
      continue;
    }
    if (c == '[' || c == '{') {
      if (++depth > kDeepest) {
        refuse("the body is nested deeper than ", kDeepest);
      }
      fields[depth] = 0;
    } else if (c == ']' || c == '}') {
      depth = std::max(0, depth - 1);
    } else if (c == ':' && ++fields[depth] > kMostFields) {
      refuse("an object of the body has more than ", kMostFields, " fields");
    }
  }
}

Json parse(std::string_view body) {
  if (!is_utf8(body)) refuse("the body is not UTF-8");
  check_shape(body);
  try {
    return Json::parse(body);
  } catch (const Json::parse_error& error) {
    refuse("the body is no JSON: there is a mistake at byte ", error.byte);
  } catch (const Json::exception&) {
    refuse("the body is no JSON: it has a number that is out of range");
  }
}

}  // namespace

Json parse_object(std::string_view body) {
  Json object = parse(body);
  if (!object.is_object()) refuse("the body must be a JSON object");
  return object;
}

Json parse_list(std::string_view body) {
  Json list = parse(body);
  if (!list.is_array()) refuse("the body must be a JSON list");
  return list;
}

JsonFields::JsonFields(const Json& object, std::string where)
    : object_(object), where_(std::move(where)) {}

const Json* JsonFields::find(const char* name) {
  known_.emplace_back(name);
  const auto found = object_.find(name);
  return found == object_.end() ? nullptr : &*found;
}

bool JsonFields::read(const char* name, std::string& value) {
  const Json* found = find(name);
  if (found != nullptr) value = string_of(*found, where_ + name);
  return found != nullptr;
}

bool JsonFields::read(const char* name, bool& value) {
  const Json* found = find(name);
  if (found == nullptr) return false;
  if (!found->is_boolean()) {
    refuse("\"", where_, name, "\" must be true or false");
  }
  value = found->get<bool>();
  return true;
}

bool JsonFields::read(const char* name, int& value, const Limits<int>& limits) {
  const Json* found = find(name);
  if (found != nullptr) value = whole_number(*found, where_ + name, limits);
  return found != nullptr;
}

bool JsonFields::read(const char* name, int64_t& value,
                      const Limits<int64_t>& limits) {
  const Json* found = find(name);
  if (found != nullptr) value = whole_number(*found, where_ + name, limits);
  return found != nullptr;
}

bool JsonFields::read(const char* name, float& value,
                      const Limits<float>& limits) {
  const Json* found = find(name);
  if (found == nullptr) return false;
  const double number = found->is_number() ? found->get<double>() : NAN;
  if (!(number >= limits.least && number <= limits.most)) {
    refuse("\"", where_, name, "\" must be a number from ", limits.least,
           " to ", limits.most);
  }
  value = static_cast<float>(number);
  return true;
}

bool JsonFields::read(const char* name, std::vector<std::string>& values) {
  const Json* found = find(name);
  if (found == nullptr) return false;
  if (!found->is_array()) {
    refuse("\"", where_, name, "\" must be a list of texts");
  }
  std::vector<std::string> all;
  for (const Json& one : *found) {
    all.push_back(string_of(one, join(where_, name, "[", all.size(), "]")));
  }
  values = std::move(all);
  return true;
}

bool JsonFields::read(const char* name, std::vector<int>& values,
                      const Limits<int>& limits) {
  const Json* found = find(name);
  if (found == nullptr) return false;
  if (!found->is_array()) {
    refuse("\"", where_, name, "\" must be a list of whole numbers");
  }
  std::vector<int> all;
  for (const Json& one : *found) {
    all.push_back(
        whole_number(one, join(where_, name, "[", all.size(), "]"), limits));
  }
  values = std::move(all);
  return true;
}

const Json* JsonFields::objects(const char* name) {
  const Json* found = find(name);
  if (found == nullptr) return nullptr;
  const bool right =
      found->is_array() &&
      std::ranges::all_of(*found, [](const Json& j) { return j.is_object(); });
  if (!right) refuse("\"", where_, name, "\" must be a list of objects");
  return found;
}

std::string JsonFields::choice(const char* name,
                               const std::vector<std::string>& values) {
  std::string value = values.front();
  read(name, value);
  if (std::ranges::find(values, value) != values.end()) return value;
  std::string names;
  for (const std::string& v : values) {
    if (!v.empty()) names += (names.empty() ? "" : ", ") + v;
  }
  refuse("\"", where_, name, "\" must be one of ", names);
}

void JsonFields::check_all_known() const {
  for (const auto& [name, value] : object_.items()) {
    if (std::ranges::find(known_, name) != known_.end()) continue;
    refuse("unknown field \"", where_, name, "\"", did_you_mean(name, known_));
  }
}

std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace fovea
