#pragma once

#include <cstdint>
#include <vector>

namespace fovea {

struct Repetition {
  int64_t line, first;  // from 0; the first one is the same
};

// Finds lines that are the same, by 64 bits of each.
class LineHashes {
 public:
  void add(uint64_t hash) { hashes_.push_back(hash == 0 ? 1 : hash); }
  void add_none() { hashes_.push_back(0); }  // a line like no other

  int64_t size() const { return static_cast<int64_t>(hashes_.size()); }
  // In the order of the lines.
  std::vector<Repetition> repetitions() const;

 private:
  std::vector<uint64_t> hashes_;
};

}  // namespace fovea
