#pragma once

#include <cstdint>

namespace fovea {

// Memory of this process that is in use now.
int64_t resident_bytes();

}  // namespace fovea
