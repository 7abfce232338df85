#include "fovea/data/line_file.h"

#include <unistd.h>

#include <algorithm>
#include <cassert>

#include "fovea/base/check.h"
#include "fovea/io/file_handle.h"

namespace fovea {
namespace {

constexpr size_t kPart = size_t{1} << 20;

}  // namespace

LineBlock::LineBlock(std::string bytes) : bytes_(std::move(bytes)) {
  size_t begin = 0;
  while (begin < bytes_.size()) {
    begins_.push_back(begin);
    const size_t end = bytes_.find('\n', begin);
    begin = end == std::string::npos ? bytes_.size() + 1 : end + 1;
  }
  begins_.push_back(begin);
}

std::string_view LineBlock::operator[](int64_t i) const {
  return std::string_view(bytes_).substr(begins_[i],
                                         begins_[i + 1] - begins_[i] - 1);
}

LineFile::LineFile(std::string path) : path_(std::move(path)) {
  const FileHandle file = open_to_read(path_);
  check_data(lseek(file.descriptor(), 0, SEEK_CUR) >= 0, path_,
             ": is no plain file, but must be read more than once");
  std::string part(kPart, '\0');
  bool begins = true;  // a line, with the next byte
  while (const size_t size = file.read(part)) {
    for (size_t at = 0; at < size;) {
      if (begins && lines_++ % kStride == 0) {
        offsets_.push_back(end_ + static_cast<int64_t>(at));
      }
      const size_t end = std::string_view(part).substr(0, size).find('\n', at);
      begins = end != std::string_view::npos;
      at = begins ? end + 1 : size;
    }
    end_ += static_cast<int64_t>(size);
  }
}

int64_t LineFile::offset(int64_t line) const {
  assert(line % kStride == 0 || line >= lines_);
  return line >= lines_ ? end_ : offsets_[line / kStride];
}

int64_t LineFile::bytes(int64_t first, int64_t count) const {
  return offset(first + count) - offset(first);
}

LineBlock LineFile::read(int64_t first, int64_t count) const {
  const FileHandle file = open_to_read(path_);
  std::string bytes(this->bytes(first, count), '\0');
  lseek(file.descriptor(), offset(first), SEEK_SET);
  for (std::span<char> rest = bytes; !rest.empty();) {
    const size_t size = file.read(rest);
    check_data(size > 0, path_, ": has changed while it was used");
    rest = rest.subspan(size);
  }
  LineBlock block(std::move(bytes));
  check_data(block.size() == std::clamp<int64_t>(lines_ - first, 0, count),
             path_, ": has changed while it was used");
  return block;
}

}  // namespace fovea
