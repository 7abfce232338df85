#include "fovea/io/json.h"

#include <nlohmann/json.hpp>

#include "fovea/base/unicode.h"

namespace fovea {
namespace {

using nlohmann::ordered_json;

ordered_json value_of(const Field& field, const std::string& text) {
  if (field.is_text) return mend_utf8(text);
  ordered_json value = ordered_json::parse(text, nullptr, false);
  return value.is_discarded() ? ordered_json(text) : value;  // an enum's name
}

ordered_json value_of(const Field& field) {
  const Field::Texts texts = field.get();
  if (!field.is_list) return value_of(field, texts.front());
  ordered_json list = ordered_json::array();
  for (const std::string& text : texts) list.push_back(value_of(field, text));
  return list;
}

}  // namespace

std::string write_json(const std::vector<Field>& fields) {
  ordered_json root = ordered_json::object();
  for (const Field& field : fields) {
    ordered_json* at = &root;
    size_t begin = 0;
    for (size_t dot; (dot = field.name.find('.', begin)) != std::string::npos;
         begin = dot + 1) {
      at = &(*at)[field.name.substr(begin, dot - begin)];
    }
    (*at)[field.name.substr(begin)] = value_of(field);
  }
  return root.dump(2) + "\n";
}

std::string json_text(std::string_view text) {
  return nlohmann::json(mend_utf8(std::string(text))).dump();
}

}  // namespace fovea
