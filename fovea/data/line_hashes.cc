#include "fovea/data/line_hashes.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "fovea/base/check.h"

namespace fovea {

std::vector<Repetition> LineHashes::repetitions() const {
  check(hashes_.size() <= std::numeric_limits<uint32_t>::max(),
        "too many lines for the search for duplicates: ", hashes_.size());
  std::vector<uint32_t> order(hashes_.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return hashes_[a] != hashes_[b] ? hashes_[a] < hashes_[b] : a < b;
  });
  std::vector<Repetition> found;
  size_t first = 0;
  for (size_t i = 1; i < order.size(); ++i) {
    const uint64_t hash = hashes_[order[i]];
    if (hash != 0 && hash == hashes_[order[first]]) {
      found.push_back({order[i], order[first]});
    } else {
      first = i;
    }
  }
  std::sort(
      found.begin(), found.end(),
      [](const Repetition& a, const Repetition& b) { return a.line < b.line; });
  return found;
}

}  // namespace fovea
