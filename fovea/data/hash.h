#pragma once

#include <cstdint>
#include <string_view>

namespace fovea {

// 64 bits that tell texts apart, the same on every machine. Not for secrets.
uint64_t text_hash(std::string_view text);

}  // namespace fovea
