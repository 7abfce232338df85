#include "cli/flags.h"

#include <algorithm>

#include "fovea/base/check.h"
#include "fovea/io/yaml.h"

namespace fovea::cli {
namespace {

// "one of a, b" of a field that takes names: they are part of its help.
constexpr std::string_view kOneOf = "one of ";

std::string help_of(const Field& field) {
  const std::string now = field_text(field);
  const bool says_nothing = now.empty() || now == "[]";
  const std::string help =
      field.expected.starts_with(kOneOf)
          ? field.help + ":\n" + field.expected.substr(kOneOf.size())
          : field.help;
  return says_nothing ? help : help + " (" + now + ")";
}

std::string names_of(const Field& field, std::span<const FlagAlias> aliases) {
  std::string names = "--" + field.name;
  for (const FlagAlias& alias : aliases) {
    if (alias.of == field.name) names += join(",--", alias.name);
  }
  return names;
}

// Flags of configs within the config come after the plain ones in the help.
void group(CLI::Option& option, const Field& field) {
  const size_t dot = field.name.find('.');
  if (dot == std::string::npos) return;
  option.group("Details of " + field.name.substr(0, dot));
}

bool has_positionals(const CLI::App& app) {
  return std::ranges::any_of(app.get_options(), [](const CLI::Option* option) {
    return option->get_positional();
  });
}

void keep_to_one_argument(const std::vector<CLI::Option*>& lists) {
  for (CLI::Option* list : lists) list->allow_extra_args(false);
}

}  // namespace

ConfigFlags::ConfigFlags(CLI::App& app, std::vector<Field> fields,
                         std::span<const FlagAlias> aliases)
    : fields_(std::move(fields)), given_(std::make_shared<Given>()) {
  app.add_option("--config", given_->file,
                 "YAML file with values for the flags below")
      ->type_name("FILE");
  std::vector<CLI::Option*> lists;
  for (size_t i = 0; i < fields_.size(); ++i) {
    const Field& field = fields_[i];
    const std::string name = field.name;
    const auto keep = [given = given_, i](const Field::Texts& texts) {
      given->values.emplace_back(i, texts);
      return true;
    };
    if (field.is_bool) {
      CLI::Option* flag = app.add_flag_function(
          "--" + name + ",!--no-" + name,
          [keep](int64_t count) { keep({count > 0 ? "true" : "false"}); },
          help_of(field));
      group(*flag, field);
      continue;
    }
    CLI::Option* option =
        app.add_option(names_of(field, aliases), keep, help_of(field));
    option->type_name(field.is_list ? "VALUES" : "VALUE");
    group(*option, field);
    if (field.is_list) {
      option->expected(1, -1)->delimiter(',')->allow_extra_args();
      lists.push_back(option);
    } else {
      // Scripts add flags behind those they were given.
      option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    }
  }
  // Only now are all arguments of the command declared.
  app.preparse_callback([&app, lists](size_t) {
    if (has_positionals(app)) keep_to_one_argument(lists);
  });
}

void ConfigFlags::resolve() const {
  if (!given_->file.empty()) load_yaml(given_->file, fields_);
  for (const auto& [i, texts] : given_->values) {
    check_usage(fields_[i].set(texts), "--", fields_[i].name, " ",
                bad_value(fields_[i], texts));
  }
}

bool ConfigFlags::given(const std::string& name) const {
  return std::ranges::any_of(given_->values, [&](const auto& value) {
    return fields_[value.first].name == name;
  });
}

}  // namespace fovea::cli
