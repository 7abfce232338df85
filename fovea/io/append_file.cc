#include "fovea/io/append_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cassert>
#include <cerrno>

#include "fovea/base/check.h"
#include "fovea/io/text_file.h"

namespace fovea {

AppendFile::AppendFile(const std::string& path)
    : path_(path),
      file_(
          ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666),
          path) {
  struct stat about {};
  if (file_.descriptor() < 0 || ::fstat(file_.descriptor(), &about) != 0) {
    check(errno != EISDIR, path, ": is a folder, not a file");
    fail_to_write(path, errno);
  }
  size_ = about.st_size;
}

void AppendFile::append(std::string_view bytes) {
  try {
    file_.write(bytes);
  } catch (const Error&) {
    // Half a piece would spoil the next one. The first error is what counts.
    [[maybe_unused]] const int ignored = ::ftruncate(file_.descriptor(), size_);
    throw;
  }
  size_ += static_cast<int64_t>(bytes.size());
}

void AppendFile::append_line(std::string_view line) {
  assert(line.find('\n') == std::string_view::npos);
  append(join(line, "\n"));
}

bool AppendFile::cut_to_bytes(int64_t bytes) {
  if (bytes > size_) return false;
  set_size(bytes);
  return true;
}

bool AppendFile::cut_to_lines(int64_t lines) {
  LineReader reader(path_);
  int64_t whole = 0;  // bytes of the lines so far
  for (int64_t i = 0; i < lines; ++i) {
    const auto line = reader.next();
    const int64_t end =
        line ? whole + static_cast<int64_t>(line->size()) + 1 : size_ + 1;
    if (end > size_) {
      set_size(whole);
      return false;
    }
    whole = end;
  }
  set_size(whole);
  return true;
}

bool AppendFile::lock() const {
  struct stat own {
  }, named{};
  return ::flock(file_.descriptor(), LOCK_EX | LOCK_NB) == 0 &&
         ::fstat(file_.descriptor(), &own) == 0 &&
         ::stat(path_.c_str(), &named) == 0 && own.st_dev == named.st_dev &&
         own.st_ino == named.st_ino;
}

void AppendFile::set_size(int64_t bytes) {
  if (::ftruncate(file_.descriptor(), bytes) != 0) {
    fail_to_write(path_, errno);
  }
  size_ = bytes;
}

}  // namespace fovea
