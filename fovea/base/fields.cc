#include "fovea/base/fields.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>
#include <type_traits>

#include "fovea/base/check.h"

namespace fovea {
namespace detail {
namespace {

// The whole text must be the number: "12 " and "1.5e" are none.
template <class T>
bool parse_number(const std::string& text, T& value) {
  const char* begin = text.data();
  const char* end = begin + text.size();
  if (begin != end && *begin == '+') ++begin;
  const auto [stop, error] = std::from_chars(begin, end, value);
  return error == std::errc() && stop == end;
}

// The shortest text that gives the same number back.
template <class T>
std::string print_number(T value) {
  char text[64];
  std::to_chars_result result;
  if constexpr (std::is_floating_point_v<T>) {
    // People write 0.0003, not 3e-04.
    const T size = std::abs(value);
    const bool plain = size == 0 || (size >= T{1e-5} && size < T{1e15});
    result = std::to_chars(
        text, text + sizeof text, value,
        plain ? std::chars_format::fixed : std::chars_format::scientific);
  } else {
    result = std::to_chars(text, text + sizeof text, value);
  }
  assert(result.ec == std::errc());
  return {text, result.ptr};
}

}  // namespace

bool parse(const std::string& text, bool& value) {
  value = text == "true" || text == "yes" || text == "on";
  return value || text == "false" || text == "no" || text == "off";
}

bool parse(const std::string& text, int& value) {
  return parse_number(text, value);
}
bool parse(const std::string& text, int64_t& value) {
  return parse_number(text, value);
}
bool parse(const std::string& text, float& value) {
  return parse_number(text, value);
}
bool parse(const std::string& text, double& value) {
  return parse_number(text, value);
}

std::string print(bool value) { return value ? "true" : "false"; }
std::string print(int64_t value) { return print_number(value); }
std::string print(float value) { return print_number(value); }
std::string print(double value) { return print_number(value); }

}  // namespace detail

namespace {

std::string listed(const Field::Texts& texts) {
  std::string all;
  for (const std::string& text : texts) {
    all += (all.empty() ? "" : ", ") + text;
  }
  return all;
}

}  // namespace

std::string field_text(const Field& field) {
  const std::string text = listed(field.get());
  return field.is_list ? "[" + text + "]" : text;
}

std::string bad_value(const Field& field, const Field::Texts& texts) {
  return join("'", listed(texts), "' is not ", field.expected);
}

std::vector<std::string> field_names(const std::vector<Field>& fields) {
  std::vector<std::string> names;
  for (const Field& field : fields) names.push_back(field.name);
  return names;
}

std::vector<FieldChange> changed_fields(const std::vector<Field>& before,
                                        const std::vector<Field>& after) {
  assert(before.size() == after.size());
  std::vector<FieldChange> changes;
  for (size_t i = 0; i < before.size(); ++i) {
    assert(before[i].name == after[i].name);
    if (before[i].get() == after[i].get()) continue;
    changes.push_back(
        {before[i].name, field_text(before[i]), field_text(after[i])});
  }
  return changes;
}

std::string describe_fields(const std::vector<Field>& fields) {
  size_t width = 0;
  for (const Field& field : fields) width = std::max(width, field.name.size());
  std::string all;
  for (const Field& field : fields) {
    all += join(field.name, std::string(width + 2 - field.name.size(), ' '),
                field.help, " (", field_text(field), ")\n");
  }
  return all;
}

}  // namespace fovea
