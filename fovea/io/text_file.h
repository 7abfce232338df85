#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/io/file_handle.h"

namespace fovea {

// The whole file. A data error says why not: not there, a folder, cannot be
// read.
std::string read_text(const std::string& path);

// Puts these bytes in the file's place, all or nothing, and returns when they
// are on the disk. If that fails (no folder, disk full) the old file stays and
// nothing else is left behind. For more than one piece see FileReplacement.
void replace_file(const std::string& path, std::string_view bytes);

// The lines of a file of any size, one after another; of standard input if the
// path is "-". A line ends at \n and nowhere else: \r, NUL and Unicode's line
// separators belong to the line. The last one may lack its \n.
class LineReader {
 public:
  explicit LineReader(const std::string& path);

  // Without its \n, valid until the next call; nothing at the end.
  std::optional<std::string_view> next();

  // Whether next() need not wait for whoever writes the input; waits for that
  // so long, at most. A signal ends the wait.
  bool ready(int milliseconds = 0);

  int64_t number() const { return number_; }  // of the last line, from 1
  // "FILE:12", of the last line, for messages.
  std::string place() const;

 private:
  std::string_view take(size_t length, size_t step);
  bool fill();

  FileHandle file_;
  std::vector<char> buffer_;
  size_t begin_ = 0, end_ = 0;  // what is not given out yet
  int64_t number_ = 0;
  bool ended_ = false;  // nothing more can be read
};

}  // namespace fovea
