#include "fovea/tensor/rows.h"

#include <algorithm>
#include <limits>

#include "fovea/base/check.h"

namespace fovea {
namespace {

constexpr int64_t kFewestNew = 4;

bool has_room(const RowRange& range, int added) {
  return added <= range.capacity - range.length;
}

}  // namespace

int64_t total_capacity(const Rows& rows) {
  return rows.empty() ? 0 : int64_t{rows.back().start} + rows.back().capacity;
}

bool make_room(Rows& rows, std::span<const int> added) {
  check(added.size() == rows.size(), "rows: ", added.size(),
        " numbers of new rows for ", rows.size(), " sequences");
  if (std::equal(rows.begin(), rows.end(), added.begin(), has_room)) {
    return false;
  }
  int64_t total = 0;
  for (size_t b = 0; b < rows.size(); ++b) {
    int64_t capacity = rows[b].capacity;
    if (!has_room(rows[b], added[b])) {
      capacity += std::max(kFewestNew, capacity / 2);
      capacity = std::max(int64_t{rows[b].length} + added[b], capacity);
    }
    check(total + capacity <= std::numeric_limits<int>::max(),
          "rows: sequences have grown to more than 2^31 rows");
    rows[b].start = static_cast<int>(total);
    rows[b].capacity = static_cast<int>(capacity);
    total += capacity;
  }
  return true;
}

}  // namespace fovea
