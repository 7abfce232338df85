#pragma once

#include <algorithm>
#include <cstdint>

#include "fovea/base/parallel.h"
#include "fovea/tensor/allocator.h"

namespace fovea::kernels {

// Sums over rows that are the same for any number of threads. Calls
// add_rows(begin, end, sums) for blocks of rows that depend on the sizes alone,
// each with `width` sums of its own that begin at `start`, then join(sums) in
// the order of the blocks.
template <class AddRows, class Join>
void sum_by_blocks(int64_t rows, int64_t width, float start,
                   const AddRows& add_rows, const Join& join) {
  constexpr int64_t kMostBlocks = 32;
  constexpr int64_t kLeastElements = 1 << 14;
  const int64_t block =
      std::max<int64_t>({kLeastElements / std::max<int64_t>(1, width),
                         (rows + kMostBlocks - 1) / kMostBlocks, 1});
  const int64_t blocks = (rows + block - 1) / block;
  Scratch<float> sums(blocks * width);
  std::ranges::fill(sums, start);
  parallel_for(blocks, 1, [&](int64_t first, int64_t last) {
    for (int64_t b = first; b < last; ++b) {
      add_rows(b * block, std::min(rows, (b + 1) * block), &sums[b * width]);
    }
  });
  for (int64_t b = 0; b < blocks; ++b) join(&sums[b * width]);
}

}  // namespace fovea::kernels
