#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fovea {

// Lines that lie one after another in memory.
class LineBlock {
 public:
  // Lines end at \n and nowhere else; the last one may lack it.
  explicit LineBlock(std::string bytes);
  LineBlock(const LineBlock&) = delete;
  LineBlock& operator=(const LineBlock&) = delete;
  LineBlock(LineBlock&&) = default;
  LineBlock& operator=(LineBlock&&) = default;

  int64_t size() const { return static_cast<int64_t>(begins_.size()) - 1; }
  std::string_view operator[](int64_t i) const;  // without its \n

 private:
  std::string bytes_;
  std::vector<size_t> begins_;
};

// A text file whose lines can be read in any order without being in memory: it
// knows where every 64th one begins. Immutable; threads may share it. The file
// must not change meanwhile; if it does, that is a data error.
class LineFile {
 public:
  explicit LineFile(std::string path);

  const std::string& path() const { return path_; }
  int64_t lines() const { return lines_; }

  // `first` is a multiple of kStride; as many lines as there are, at most
  // `count`.
  LineBlock read(int64_t first, int64_t count) const;
  // The bytes that such a read takes.
  int64_t bytes(int64_t first, int64_t count) const;

  static constexpr int64_t kStride = 64;

 private:
  int64_t offset(int64_t line) const;

  std::string path_;
  std::vector<int64_t> offsets_;  // of line 0, 64, 128, ...
  int64_t lines_ = 0, end_ = 0;
};

}  // namespace fovea
