#pragma once

#include <string>

namespace fovea::bench {

// The most memory that a shell command had, in megabytes; it must end well.
double peak_memory(const std::string& command);

}  // namespace fovea::bench
