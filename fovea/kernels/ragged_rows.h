#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "fovea/base/parallel.h"

namespace fovea::kernels {

// Rows of different lengths, one after another or each with a stride: row i
// begins at offset(i) and has length(i) elements.
class RaggedRows {
 public:
  // Row i is the elements offsets[i] to offsets[i + 1].
  explicit RaggedRows(std::span<const int> offsets)
      : offsets_(offsets), count_(static_cast<int64_t>(offsets.size()) - 1) {}
  // A matrix.
  RaggedRows(int64_t rows, int64_t cols, int64_t stride)
      : count_(rows), cols_(cols), stride_(stride) {}
  // The first lengths[i] elements of each row of a matrix.
  RaggedRows(std::span<const int> lengths, int64_t stride)
      : lengths_(lengths),
        count_(static_cast<int64_t>(lengths.size())),
        stride_(stride) {}

  int64_t count() const { return count_; }
  int64_t offset(int64_t i) const {
    return offsets_.empty() ? i * stride_ : offsets_[i];
  }
  int64_t length(int64_t i) const {
    if (!offsets_.empty()) return offsets_[i + 1] - offsets_[i];
    return lengths_.empty() ? cols_ : lengths_[i];
  }

 private:
  std::span<const int> offsets_, lengths_;
  int64_t count_ = 0, cols_ = 0, stride_ = 0;
};

// Calls body(offset, length) for every row, in parallel.
template <class Body>
void for_rows(const RaggedRows& rows, const Body& body) {
  constexpr int64_t kGrain = 1 << 13;  // elements that are worth a thread
  if (rows.count() <= 0) return;
  const int64_t last = rows.count() - 1;
  const int64_t elements = rows.offset(last) + rows.length(last);
  const int64_t typical = elements / rows.count() + 1;
  parallel_for(rows.count(), std::max<int64_t>(1, kGrain / typical),
               [&](int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; ++i) {
                   body(rows.offset(i), rows.length(i));
                 }
               });
}

}  // namespace fovea::kernels
