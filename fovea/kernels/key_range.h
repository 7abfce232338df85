#pragma once

#include <algorithm>

namespace fovea::kernels {

// Keys [begin, end); begin == end if there are none.
struct KeyRange {
  int begin, end;

  bool empty() const { return begin >= end; }
  KeyRange cut(int from, int to) const {
    const int b = std::max(begin, from);
    return {b, std::max(b, std::min(end, to))};
  }
  // The smallest range that holds both.
  KeyRange joined(KeyRange other) const {
    if (empty()) return other;
    if (other.empty()) return *this;
    return {std::min(begin, other.begin), std::max(end, other.end)};
  }
};

}  // namespace fovea::kernels
