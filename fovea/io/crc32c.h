#pragma once

#include <cstdint>
#include <string_view>

namespace fovea {

// The checksum of RFC 3720 (Castagnoli's polynomial).
uint32_t crc32c(std::string_view bytes);

}  // namespace fovea
