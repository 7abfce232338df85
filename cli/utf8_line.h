#pragma once

#include <string>
#include <string_view>

namespace fovea::cli {

// A line of the input as UTF-8. A warning names its place ("FILE:12") if bytes
// had to be replaced.
std::string utf8_line(std::string_view line, const std::string& place);

}  // namespace fovea::cli
