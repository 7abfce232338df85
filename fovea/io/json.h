#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fovea/base/fields.h"

namespace fovea {

// All fields of a config as one JSON object, "outer.inner" as an object in an
// object. read_yaml() reads it back: JSON is YAML. Text that is no UTF-8 is
// mended.
std::string write_json(const std::vector<Field>& fields);

// A text in quotes. Mended, too.
std::string json_text(std::string_view text);

}  // namespace fovea
