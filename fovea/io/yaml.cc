#include "fovea/io/yaml.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "fovea/base/check.h"
#include "fovea/base/nearest.h"
#include "fovea/base/unicode.h"
#include "fovea/io/text_file.h"

namespace fovea {
namespace {

// Names have hyphens, as flags do; underscores are taken for them.
std::string with_hyphens(std::string key) {
  std::replace(key.begin(), key.end(), '_', '-');
  return key;
}

// Walks a document and sets the field of every key in it.
class Reader {
 public:
  Reader(const std::string& source, const std::vector<Field>& fields)
      : source_(source), fields_(fields), names_(field_names(fields)) {}

  void read(const std::string& text) const {
    check_utf8(text);
    try {
      const YAML::Node root = YAML::Load(text);
      if (!root.IsNull()) read_map(root, "");
    } catch (const YAML::Exception& error) {
      fail(ErrorKind::kData, source_, ":", error.mark.line + 1, ": ",
           error.msg);
    }
  }

 private:
  // The library puts other characters in the place of what is none.
  void check_utf8(std::string_view text) const {
    for (int line = 1; !text.empty(); ++line) {
      const std::string_view one = text.substr(0, text.find('\n'));
      check_data(is_utf8(one), source_, ":", line, ": is not UTF-8");
      text.remove_prefix(std::min(text.size(), one.size() + 1));
    }
  }

  std::string place(const YAML::Node& node) const {
    return join(source_, ":", node.Mark().line + 1, ": ");
  }

  void read_map(const YAML::Node& map, const std::string& prefix) const {
    check_data(map.IsMap(), place(map),
               "expected lines of the form 'key: value'",
               prefix.empty() ? "" : " under '" + prefix + "'");
    std::set<std::string> seen;
    for (const auto& entry : map) {
      check_data(entry.first.IsScalar(), place(entry.first),
                 "a key must be a word");
      const std::string key = with_hyphens(entry.first.Scalar());
      const std::string name = prefix.empty() ? key : prefix + "." + key;
      check_data(seen.insert(key).second, place(entry.first), "the key '", name,
                 "' is given twice");
      read_entry(entry.first, entry.second, name);
    }
  }

  void read_entry(const YAML::Node& key, const YAML::Node& value,
                  const std::string& name) const {
    for (const Field& field : fields_) {
      if (field.name != name) continue;
      check_data(!value.IsNull(), place(key), name, ": expected ",
                 field.expected, " but found nothing");
      const Field::Texts texts = texts_of(value, field);
      check_data(field.set(texts), place(value), name, ": ",
                 bad_value(field, texts));
      return;
    }
    const bool group = std::any_of(
        names_.begin(), names_.end(),
        [&](const std::string& n) { return n.starts_with(name + "."); });
    check_data(group, place(key), "unknown key '", name, "'",
               did_you_mean(name, names_));
    read_map(value, name);
  }

  Field::Texts texts_of(const YAML::Node& value, const Field& field) const {
    Field::Texts texts;
    if (field.is_list && value.IsSequence()) {
      for (const YAML::Node& item : value) {
        check_data(item.IsScalar(), place(item), field.name, ": expected ",
                   field.expected);
        texts.push_back(item.Scalar());
      }
    } else {
      check_data(value.IsScalar(), place(value), field.name, ": expected ",
                 field.expected);
      texts.push_back(value.Scalar());
    }
    return texts;
  }

  const std::string& source_;
  const std::vector<Field>& fields_;
  const std::vector<std::string> names_;
};

// A text that would read as something else (a number, true, nothing).
bool needs_quotes(const std::string& text) {
  double number;
  bool flag;
  return text.empty() || text == "~" || text == "null" ||
         detail::parse(text, number) || detail::parse(text, flag);
}

void emit_value(YAML::Emitter& out, const Field& field,
                const std::string& text) {
  if (field.is_text && needs_quotes(text)) out << YAML::DoubleQuoted;
  out << text;
}

// Writes the fields from `next` on whose names begin with `prefix`.
void emit_group(YAML::Emitter& out, const std::vector<Field>& fields,
                size_t& next, const std::string& prefix) {
  out << YAML::BeginMap;
  while (next < fields.size() && fields[next].name.starts_with(prefix)) {
    const Field& field = fields[next];
    const std::string rest = field.name.substr(prefix.size());
    const size_t dot = rest.find('.');
    out << YAML::Key << rest.substr(0, dot) << YAML::Value;
    if (dot != std::string::npos) {
      emit_group(out, fields, next, prefix + rest.substr(0, dot + 1));
      continue;
    }
    if (field.is_list) out << YAML::Flow << YAML::BeginSeq;
    for (const std::string& text : field.get()) emit_value(out, field, text);
    if (field.is_list) out << YAML::EndSeq;
    if (!field.help.empty()) out << YAML::Comment(field.help);
    ++next;
  }
  out << YAML::EndMap;
}

}  // namespace

void read_yaml(const std::string& text, const std::string& source,
               const std::vector<Field>& fields) {
  std::vector<Field::Texts> before;
  for (const Field& field : fields) before.push_back(field.get());
  try {
    Reader(source, fields).read(text);
  } catch (const Error&) {
    for (size_t i = 0; i < fields.size(); ++i) fields[i].set(before[i]);
    throw;
  }
}

void load_yaml(const std::string& path, const std::vector<Field>& fields) {
  read_yaml(read_text(path), path, fields);
}

std::string write_yaml(const std::vector<Field>& fields) {
  YAML::Emitter out;
  size_t next = 0;
  emit_group(out, fields, next, "");
  return std::string(out.c_str()) + "\n";
}

void save_yaml(const std::string& path, const std::vector<Field>& fields) {
  replace_file(path, write_yaml(fields));
}

}  // namespace fovea
