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

std::string behind_links(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return path;
  const std::string real = std::filesystem::canonical(path, error).string();
  if (error) fail_to_write(path, error.value());
  return real;
}

void rename_durably(const std::string& from, const std::string& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0) fail_to_write(to, errno);
  sync_folder_of(to);
}

FileReplacement::FileReplacement(const std::string& path) : real_(path) {
  struct stat about {};
  const bool exists = ::stat(path.c_str(), &about) == 0;
  check(!exists || !S_ISDIR(about.st_mode), path, ": is a folder, not a file");
  int descriptor = -1;
  if (exists && !S_ISREG(about.st_mode)) {
    descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    real_ = behind_links(path);
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
  rename_durably(part_, real_);
  part_.clear();
}

}  // namespace fovea
