#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "fovea/io/file_handle.h"

namespace fovea {

// A file that only grows, such as the history of a training run, and that can
// be cut back to what a checkpoint knew. Each piece is handed to the system at
// once, so that it survives the end of this process, however it comes.
class AppendFile {
 public:
  // Continues the file, or begins it.
  explicit AppendFile(const std::string& path);

  // All of it or, if the disk is full, nothing and an error.
  void append(std::string_view bytes);
  void append_line(std::string_view line);  // which holds no \n

  int64_t size() const { return size_; }  // bytes

  // Drops what is behind. False if the file has less than that; then all of it
  // stays.
  bool cut_to_bytes(int64_t bytes);
  // Whole lines; one that lacks its \n was torn by a crash and is dropped.
  bool cut_to_lines(int64_t lines);

  void sync() const { file_.sync(); }

  // From now on no other process can lock the file. False if another has, or
  // if the file of that name is no longer this one.
  bool lock() const;

 private:
  void set_size(int64_t bytes);

  std::string path_;
  FileHandle file_;
  int64_t size_ = 0;
};

}  // namespace fovea
