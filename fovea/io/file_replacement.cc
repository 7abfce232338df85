#include "fovea/io/file_replacement.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "fovea/base/check.h"

namespace fovea {
namespace {

constexpr mode_t kPermissions = 0666;  // less what the umask takes
constexpr size_t kBuffer = size_t{1} << 16;

int open_new(const std::string& part, mode_t permissions) {
  ::unlink(part.c_str());  // of a run that was killed
  return ::open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                permissions);
}

// A rename lasts when the folder is on the disk.
void sync_folder_of(const std::string& path) {
  const std::string folder =
      (std::filesystem::path(path).parent_path() / ".").string();
  const FileHandle handle(
      ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC), folder);
  if (handle.descriptor() >= 0) handle.sync();
}

}  // namespace

FileReplacement::FileReplacement(const std::string& path)
    : path_(path), real_(path) {
  struct stat about {};
  const bool exists = ::stat(path.c_str(), &about) == 0;
  check(!exists || !S_ISDIR(about.st_mode), path, ": is a folder, not a file");
  int descriptor = -1;
  if (exists && !S_ISREG(about.st_mode)) {
    descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    std::error_code error;
    if (exists) real_ = std::filesystem::canonical(path, error).string();
    if (error) fail_to_write(path, error.value());
    descriptor = open_new(real_ + ".part", kPermissions);
    if (descriptor >= 0) part_ = real_ + ".part";
  }
  if (descriptor < 0) fail_to_write(path, errno);
  file_ = FileHandle(descriptor, path);
  if (exists && !part_.empty()) ::fchmod(descriptor, about.st_mode & 07777);
}

FileReplacement::~FileReplacement() {
  if (!part_.empty()) ::unlink(part_.c_str());
}

void FileReplacement::write(std::string_view bytes) {
  if (buffer_.size() + bytes.size() > kBuffer) flush();
  if (bytes.size() > kBuffer) {
    file_.write(bytes);
  } else {
    buffer_ += bytes;
  }
}

void FileReplacement::flush() {
  file_.write(buffer_);
  buffer_.clear();
}

void FileReplacement::commit() {
  flush();
  file_.sync();
  if (part_.empty()) return;
  if (std::rename(part_.c_str(), real_.c_str()) != 0) {
    fail_to_write(path_, errno);
  }
  part_.clear();
  sync_folder_of(real_);
}

}  // namespace fovea
