#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fovea/base/fields.h"

namespace fovea::cli {

// A second name of a flag, both without dashes.
struct FlagAlias {
  std::string_view of, name;
};

// The fields of a config as flags of a command, beside --config FILE. A field
// "label-smoothing" is the flag --label-smoothing; a bool also has --no-NAME; a
// list takes one value with commas, or several where the command has no other
// arguments that these could be. Flags win over the file, the
// file over the defaults.
class ConfigFlags {
 public:
  // The config behind the fields must outlive the parsing of the command line.
  ConfigFlags(CLI::App& app, std::vector<Field> fields,
              std::span<const FlagAlias> aliases = {});

  // Call it once, after the command line is parsed: fills in the config.
  void resolve() const;
  // Whether the command line, not the file, says something of this field.
  bool given(const std::string& name) const;

 private:
  struct Given {
    std::string file;
    std::vector<std::pair<size_t, Field::Texts>> values;  // by field
  };
  std::vector<Field> fields_;
  std::shared_ptr<Given> given_;  // shared with the parser's callbacks
};

}  // namespace fovea::cli
