#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace fovea {

// A config is a struct that lists its fields once:
//
//   struct TrainConfig {
//     float lr = 3e-4f;
//     void fields(auto&& field) { field("lr", lr, "peak learning rate"); }
//   };
//
// Flags, YAML, help, the saved copy and the comparison of two configs all read
// that list. A field is a bool, int, int64_t, float, double, string or enum, a
// vector of those, or another config, whose fields appear as "outer.inner".

// The names of an enum, for its fields. An enum that is a field has, beside it,
//   constexpr EnumName<Mode> kModes[] = {{Mode::kFast, "fast"}, ...};
//   constexpr auto& enum_names(Mode) { return kModes; }
template <class E>
struct EnumName {
  E value;
  const char* name;
};

// How values of one type are written and read as text.
template <class T>
struct FieldText;

// One field of a config that lives elsewhere, without its C++ type. Values are
// texts: one for a plain field, any number for a list.
struct Field {
  using Texts = std::vector<std::string>;

  std::string name;      // "lr", or "model.width" inside another config
  std::string help;      // "peak learning rate"
  std::string expected;  // "a number": completes "expected ..."
  bool is_bool = false;
  bool is_list = false;
  bool is_text = false;  // its values may need quotes
  std::function<Texts()> get;
  // False, and no change, if the texts do not give a value of the type.
  std::function<bool(const Texts&)> set;
};

// A list as "a, b"; for messages and help.
std::string field_text(const Field& field);

// "'fast' is not a number": what is wrong with texts that set() refused.
std::string bad_value(const Field& field, const Field::Texts& texts);

std::vector<std::string> field_names(const std::vector<Field>& fields);

struct FieldChange {
  std::string name, before, after;
  friend bool operator==(const FieldChange&, const FieldChange&) = default;
};

// What differs between two configs of one type, in the order of the fields.
std::vector<FieldChange> changed_fields(const std::vector<Field>& before,
                                        const std::vector<Field>& after);

// One line for each field: name, help and the value it has now.
std::string describe_fields(const std::vector<Field>& fields);

namespace detail {

bool parse(const std::string& text, bool& value);
bool parse(const std::string& text, int& value);
bool parse(const std::string& text, int64_t& value);
bool parse(const std::string& text, float& value);
bool parse(const std::string& text, double& value);
std::string print(bool value);
std::string print(int64_t value);
std::string print(float value);
std::string print(double value);

template <class T>
struct NumberText {
  static bool parse(const std::string& text, T& value) {
    return detail::parse(text, value);
  }
  static std::string print(T value) { return detail::print(value); }
};

}  // namespace detail

template <>
struct FieldText<bool> : detail::NumberText<bool> {
  static std::string one() { return "true or false"; }
  static std::string many() { return "a list of true or false"; }
};

template <>
struct FieldText<int> : detail::NumberText<int> {
  static std::string print(int value) { return detail::print(int64_t{value}); }
  static std::string one() { return "a whole number up to 2147483647"; }
  static std::string many() { return "a list of whole numbers"; }
};

template <>
struct FieldText<int64_t> : detail::NumberText<int64_t> {
  static std::string one() { return "a whole number"; }
  static std::string many() { return "a list of whole numbers"; }
};

template <std::floating_point T>
struct FieldText<T> : detail::NumberText<T> {
  static std::string one() { return "a number"; }
  static std::string many() { return "a list of numbers"; }
};

template <>
struct FieldText<std::string> {
  static bool parse(const std::string& text, std::string& value) {
    value = text;
    return true;
  }
  static std::string print(const std::string& value) { return value; }
  static std::string one() { return "text"; }
  static std::string many() { return "a list of texts"; }
};

template <class T>
requires std::is_enum_v<T>
struct FieldText<T> {
  static bool parse(const std::string& text, T& value) {
    for (const auto& entry : enum_names(T{})) {
      if (text == entry.name) {
        value = entry.value;
        return true;
      }
    }
    return false;
  }
  static std::string print(T value) {
    for (const auto& entry : enum_names(T{})) {
      if (entry.value == value) return entry.name;
    }
    return "?";
  }
  static std::string one() {
    std::string names;
    for (const auto& entry : enum_names(T{})) {
      names += (names.empty() ? "one of " : ", ") + std::string(entry.name);
    }
    return names;
  }
  static std::string many() { return "a list, each " + one(); }
};

namespace detail {

template <class T>
Field make_field(T& value) {
  Field field;
  field.expected = FieldText<T>::one();
  field.is_bool = std::is_same_v<T, bool>;
  field.is_text = std::is_same_v<T, std::string>;
  field.get = [&value] { return Field::Texts{FieldText<T>::print(value)}; };
  field.set = [&value](const Field::Texts& texts) {
    T parsed{};
    if (texts.size() != 1 || !FieldText<T>::parse(texts[0], parsed)) {
      return false;
    }
    value = std::move(parsed);
    return true;
  };
  return field;
}

template <class T>
Field make_field(std::vector<T>& values) {
  Field field;
  field.expected = FieldText<T>::many();
  field.is_list = true;
  field.is_text = std::is_same_v<T, std::string>;
  field.get = [&values] {
    Field::Texts texts;
    for (const T& value : values) texts.push_back(FieldText<T>::print(value));
    return texts;
  };
  field.set = [&values](const Field::Texts& texts) {
    std::vector<T> parsed;
    for (const std::string& text : texts) {
      T value{};
      if (!FieldText<T>::parse(text, value)) return false;
      parsed.push_back(std::move(value));
    }
    values = std::move(parsed);
    return true;
  };
  return field;
}

}  // namespace detail

// A struct with a list of fields, which `fields_of` can read.
template <class T>
concept Config = requires(T config) {
  config.fields([](const char*, auto&, const char*) {});
};

// The fields of a config. They refer to it: it must outlive them and stay where
// it is.
template <Config C>
std::vector<Field> fields_of(C& config) {
  std::vector<Field> all;
  config.fields([&all](const char* name, auto& value, const char* help) {
    if constexpr (Config<std::remove_reference_t<decltype(value)>>) {
      for (Field& inner : fields_of(value)) {
        inner.name = std::string(name) + "." + inner.name;
        all.push_back(std::move(inner));
      }
    } else {
      Field field = detail::make_field(value);
      // A string, or GCC 12 sees an overflow in names of one letter.
      field.name = std::string(name);
      field.help = help;
      all.push_back(std::move(field));
    }
  });
  return all;
}

}  // namespace fovea
