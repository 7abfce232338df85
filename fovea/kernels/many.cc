#include "fovea/kernels/many.h"

#include <algorithm>

namespace fovea::kernels {
namespace {

int64_t blocks_in(int64_t size) { return (size + kManyBlock - 1) / kManyBlock; }

}  // namespace

int64_t blocks_of(size_t arrays, FunctionRef<int64_t(size_t)> size) {
  int64_t blocks = 0;
  for (size_t i = 0; i < arrays; ++i) blocks += blocks_in(size(i));
  return blocks;
}

void over_many(size_t arrays, FunctionRef<int64_t(size_t)> size,
               FunctionRef<void(const Piece&)> body) {
  constexpr int64_t kGrain = 8;  // blocks that are worth a thread
  const int64_t blocks = blocks_of(arrays, size);
  parallel_for(blocks, kGrain, [&](int64_t begin, int64_t end) {
    int64_t first = 0;  // block of the array
    for (size_t i = 0; i < arrays && first < end; ++i) {
      const int64_t count = size(i);
      const int64_t last = first + blocks_in(count);
      const int64_t from = std::max(first, begin), to = std::min(last, end);
      if (from < to) {
        body({i, (from - first) * kManyBlock,
              std::min(count, (to - first) * kManyBlock), from});
      }
      first = last;
    }
  });
}

}  // namespace fovea::kernels
