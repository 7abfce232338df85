#pragma once

#include <cstdint>
#include <iterator>

#include "fovea/base/rng.h"

namespace fovea {

// One random choice after another.
class Draws {
 public:
  explicit Draws(RandomKey key) : key_(key) {}

  // From 0 to bound - 1.
  int below(int bound) {
    return static_cast<int>(
        random_below(key_, next_++, static_cast<uint32_t>(bound)));
  }
  // True once in so many times.
  bool once_in(int times) { return below(times) == 0; }

  // Of an array or a span.
  const auto& one_of(const auto& all) {
    return all[static_cast<size_t>(below(static_cast<int>(std::ssize(all))))];
  }

 private:
  RandomKey key_;
  uint32_t next_ = 0;
};

}  // namespace fovea
