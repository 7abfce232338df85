#pragma once

#include <string>
#include <vector>

#include "fovea/base/fields.h"

namespace fovea {

// Sets the fields that a YAML text names and leaves the others. An unknown key,
// a key given twice or a value of the wrong type is a data error that names
// `source`, the line, the key and what was expected; then no field is changed.
void read_yaml(const std::string& text, const std::string& source,
               const std::vector<Field>& fields);
void load_yaml(const std::string& path, const std::vector<Field>& fields);

// All fields with their help as comments. Reading it back gives the same
// values. The file is replaced as a whole or not at all.
std::string write_yaml(const std::vector<Field>& fields);
void save_yaml(const std::string& path, const std::vector<Field>& fields);

}  // namespace fovea
