#include "fovea/io/file_handle.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "fovea/base/check.h"

namespace fovea {
namespace {

std::string reason(int error) { return std::system_category().message(error); }

// The result of a system call, repeated while signals interrupt it.
template <class Call>
auto repeated(const Call& call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

}  // namespace

FileHandle::~FileHandle() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

size_t FileHandle::read(std::span<char> to) const {
  const ssize_t count =
      repeated([&] { return ::read(descriptor_, to.data(), to.size()); });
  if (count < 0) {
    fail(ErrorKind::kData, name_, ": cannot be read: ", reason(errno));
  }
  return static_cast<size_t>(count);
}

void FileHandle::write(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t count = repeated(
        [&] { return ::write(descriptor_, bytes.data(), bytes.size()); });
    if (count < 0) fail_to_write(name_, errno);
    bytes.remove_prefix(static_cast<size_t>(count));
  }
}

void FileHandle::sync() const {
  if (repeated([&] { return ::fsync(descriptor_); }) == 0) return;
  if (errno != EINVAL && errno != EROFS) fail_to_write(name_, errno);
}

FileHandle open_to_read(const std::string& path) {
  FileHandle file(
      repeated([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); }),
      path);
  struct stat about {};
  if (file.descriptor() < 0 || ::fstat(file.descriptor(), &about) != 0) {
    check_data(errno != ENOENT && errno != ENOTDIR, path,
               ": there is no such file");
    fail(ErrorKind::kData, path, ": cannot be read: ", reason(errno));
  }
  check_data(!S_ISDIR(about.st_mode), path, ": is a folder, not a file");
  return file;
}

void fail_to_write(const std::string& path, int error) {
  const bool full = error == ENOSPC || error == EDQUOT || error == EFBIG;
  fail(full ? ErrorKind::kResource : ErrorKind::kRun, path,
       ": cannot be written: ", reason(error));
}

}  // namespace fovea
