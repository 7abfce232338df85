#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "fovea/io/append_file.h"

namespace fovea {

struct Scalar {
  std::string tag;  // "loss/train"; TensorBoard groups by what is before "/"
  float value = 0;
};

// Writes curves that TensorBoard shows. It opens every file of a folder whose
// name holds "tfevents". A file is continued if it is there; a run that goes
// back to a checkpoint cuts it to the bytes it had then, so that no step is
// there twice.
class TensorBoardLog {
 public:
  explicit TensorBoardLog(const std::string& path) : file_(path) {}

  // Numbers of one step. `seconds` since 1970 are for the axis of time.
  void add(int64_t step, double seconds, std::span<const Scalar> scalars);

  int64_t size() const { return file_.size(); }  // bytes
  bool cut_to_bytes(int64_t bytes) { return file_.cut_to_bytes(bytes); }
  void sync() const { file_.sync(); }

 private:
  AppendFile file_;
};

}  // namespace fovea
