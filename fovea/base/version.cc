#include "fovea/base/version.h"

namespace fovea {

// CMake defines these four for this file alone.
std::string version() { return FOVEA_VERSION; }

std::string compiler() {
  const std::string sanitizers = FOVEA_SANITIZERS;
  return std::string(FOVEA_COMPILER) + ", " + FOVEA_BUILD_TYPE +
         (sanitizers.empty() ? "" : ", sanitizers: " + sanitizers);
}

}  // namespace fovea
