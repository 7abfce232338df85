#include "fovea/io/mapped_file.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <system_error>

#include "fovea/base/check.h"
#include "fovea/io/file_handle.h"

namespace fovea {

MappedFile::MappedFile(const std::string& path) {
  const FileHandle file = open_to_read(path);
  struct stat about {};
  const bool known = ::fstat(file.descriptor(), &about) == 0;
  check_data(known && S_ISREG(about.st_mode), path, ": is not a plain file");
  const auto size = static_cast<size_t>(about.st_size);
  if (size == 0) return;
  void* start =
      ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.descriptor(), 0);
  check_data(start != MAP_FAILED, path,
             ": cannot be read: ", std::system_category().message(errno));
  bytes_ = {static_cast<const std::byte*>(start), size};
}

MappedFile::~MappedFile() {
  if (bytes_.empty()) return;
  ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace fovea
