#include "fovea/tensor/segments.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "fovea/base/check.h"

namespace fovea {

Segments::Segments() : Segments(std::vector<int>{0}) {}

Segments::Segments(std::vector<int> offsets)
    : offsets_(std::make_shared<const std::vector<int>>(std::move(offsets))) {}

Segments Segments::from_lengths(std::span<const int> lengths) {
  std::vector<int> offsets;
  offsets.reserve(lengths.size() + 1);
  offsets.push_back(0);
  for (int length : lengths) {
    check(length >= 0, "segments: a sequence of ", length, " tokens");
    check(offsets.back() <= std::numeric_limits<int>::max() - length,
          "segments: too many tokens in a batch");
    offsets.push_back(offsets.back() + length);
  }
  return Segments(std::move(offsets));
}

Segments Segments::from_offsets(std::vector<int> offsets) {
  check(!offsets.empty() && offsets[0] == 0,
        "segments: offsets must begin with 0");
  check(std::ranges::is_sorted(offsets), "segments: offsets must not fall");
  return Segments(std::move(offsets));
}

int Segments::longest() const {
  int longest = 0;
  for (int b = 0; b < count(); ++b) longest = std::max(longest, length(b));
  return longest;
}

}  // namespace fovea
