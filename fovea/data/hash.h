#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fovea {

// 64 bits that tell texts apart, the same on every machine. Not for secrets.
uint64_t text_hash(std::string_view text);

// The same for what is in a file. A data error if it cannot be read.
struct FileHash {
  int64_t bytes = 0;
  uint64_t hash = 0;
};
FileHash file_hash(const std::string& path);

}  // namespace fovea
