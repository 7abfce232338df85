#include "fovea/data/hash.h"

#include <vector>

#include "fovea/base/rng.h"
#include "fovea/io/file_handle.h"

namespace fovea {

uint64_t text_hash(std::string_view text) {
  return RandomKey().with(text).bits();
}

FileHash file_hash(const std::string& path) {
  const FileHandle file = open_to_read(path);
  std::vector<char> buffer(1 << 16);
  FileHash all;
  uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
  while (const size_t read = file.read(buffer)) {
    for (size_t i = 0; i < read; ++i) {
      hash = (hash ^ static_cast<unsigned char>(buffer[i])) * 0x100000001b3u;
    }
    all.bytes += static_cast<int64_t>(read);
  }
  all.hash = RandomKey(hash).bits();
  return all;
}

}  // namespace fovea
