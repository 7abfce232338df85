#include "fovea/io/text_file.h"

#include <poll.h>
#include <unistd.h>

#include <cstring>

#include "fovea/base/check.h"
#include "fovea/io/file_replacement.h"

namespace fovea {
namespace {

constexpr size_t kBlock = size_t{1} << 18;

FileHandle open_lines(const std::string& path) {
  if (path != "-") return open_to_read(path);
  FileHandle input(::dup(STDIN_FILENO), "standard input");
  check_data(input.descriptor() >= 0, "standard input: cannot be read");
  return input;
}

}  // namespace

std::string read_text(const std::string& path) {
  const FileHandle file = open_to_read(path);
  std::string text;
  size_t count = 0;
  do {
    const size_t before = text.size();
    text.resize(before + kBlock);
    count = file.read({text.data() + before, kBlock});
    text.resize(before + count);
  } while (count > 0);
  return text;
}

void replace_file(const std::string& path, std::string_view bytes) {
  FileReplacement file(path);
  file.write(bytes);
  file.commit();
}

LineReader::LineReader(const std::string& path)
    : file_(open_lines(path)), buffer_(kBlock) {}

std::optional<std::string_view> LineReader::next() {
  size_t searched = 0;
  for (;;) {
    const std::string_view rest(buffer_.data() + begin_, end_ - begin_);
    const size_t length = rest.find('\n', searched);
    if (length != std::string_view::npos) return take(length, length + 1);
    searched = rest.size();
    // A terminal may say several times that it ended.
    if (!ended_ && fill()) continue;
    if (searched == 0) return {};
    return take(searched, searched);
  }
}

bool LineReader::ready(int milliseconds) {
  size_t searched = 0;
  for (;;) {
    const std::string_view rest(buffer_.data() + begin_, end_ - begin_);
    if (ended_ || rest.find('\n', searched) != std::string_view::npos) {
      return true;
    }
    searched = rest.size();
    pollfd input{file_.descriptor(), POLLIN, 0};
    if (::poll(&input, 1, milliseconds) <= 0) return false;
    fill();
  }
}

// A line of `length` bytes; the next one begins after `step`.
std::string_view LineReader::take(size_t length, size_t step) {
  const std::string_view line(buffer_.data() + begin_, length);
  begin_ += step;
  ++number_;
  return line;
}

std::string LineReader::place() const {
  return join(file_.name(), ":", number_);
}

// Reads more behind what is there; false at the end of the file.
bool LineReader::fill() {
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  if (end_ == buffer_.size()) buffer_.resize(2 * buffer_.size());
  const size_t count =
      file_.read({buffer_.data() + end_, buffer_.size() - end_});
  end_ += count;
  ended_ = count == 0;
  return !ended_;
}

}  // namespace fovea
