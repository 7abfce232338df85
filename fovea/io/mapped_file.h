#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace fovea {

// The bytes of a file without reading it: pages come as they are touched, and
// processes share them. Nobody may shorten the file meanwhile; replacing it by
// another of the same name is fine. Threads may share one.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace fovea
