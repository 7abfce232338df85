#pragma once

#include <array>
#include <streambuf>

#include "fovea/io/file_handle.h"

namespace fovea::cli {

// While one lives, a failure to write what std::cout is given throws an Error
// that says why, a resource error where there is no room; streams would forget
// the reason. One at a time.
class StandardOutput : public std::streambuf {
 public:
  StandardOutput();
  ~StandardOutput() override;  // writes what is left, if it can
  StandardOutput(const StandardOutput&) = delete;
  StandardOutput& operator=(const StandardOutput&) = delete;

 protected:
  int_type overflow(int_type c) override;
  std::streamsize xsputn(const char* bytes, std::streamsize count) override;
  int sync() override;

 private:
  std::array<char, 1 << 16> buffer_;
  FileHandle file_;
  const bool at_once_;  // a terminal
  std::streambuf* before_;
};

}  // namespace fovea::cli
