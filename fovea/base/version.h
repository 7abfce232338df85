#pragma once

#include <string>

namespace fovea {

std::string version();   // "0.1.0"
std::string compiler();  // "GNU 12.2.0, Release"

}  // namespace fovea
