#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace fovea {

using Json = nlohmann::ordered_json;

// The JSON of a request. An HttpError says what is wrong: no UTF-8, no JSON,
// another type, nested too deep, an object with too many fields. Takes time by
// the length of the body.
Json parse_object(std::string_view body);
Json parse_list(std::string_view body);

template <class T>
struct Limits {
  T least, most;
};

// The fields of a JSON object, each of them asked for by its name. What is of
// another type or beyond its limits is an HttpError that names the field.
class JsonFields {
 public:
  // `where` stands before names: "pairs[2]."
  explicit JsonFields(const Json& object, std::string where = "");

  // False, and no change, if there is no such field.
  bool read(const char* name, std::string& value);
  bool read(const char* name, bool& value);
  bool read(const char* name, int& value, const Limits<int>& limits);
  bool read(const char* name, int64_t& value, const Limits<int64_t>& limits);
  bool read(const char* name, float& value, const Limits<float>& limits);
  bool read(const char* name, std::vector<std::string>& values);
  bool read(const char* name, std::vector<int>& values,
            const Limits<int>& limits);
  // Each element is an object; null if there is no such field.
  const Json* objects(const char* name);
  // One of these; the first if it is not there.
  std::string choice(const char* name, const std::vector<std::string>& values);

  // Fails if there is a field that was never asked for.
  void check_all_known() const;

 private:
  const Json* find(const char* name);

  const Json& object_;
  const std::string where_;
  std::vector<std::string> known_;
};

// Text of a response. What is no UTF-8 is mended.
std::string dump(const Json& json);

}  // namespace fovea
