#pragma once

#include <cstddef>
#include <cstdint>

#include "fovea/base/parallel.h"

namespace fovea::kernels {

// A model has hundreds of arrays, some of them tiny. They are cut into blocks,
// and every thread gets the same number of blocks in one parallel loop.
constexpr int64_t kManyBlock = 4096;

// A run of whole blocks of one array; only the array's last one may be short.
struct Piece {
  size_t array;
  int64_t begin, end;  // elements
  int64_t block;       // number of its first block, counted over all arrays
};

// size(i) is the number of elements of array i. Calls body for pieces that
// together cover all arrays, in parallel. Which elements form a block does not
// depend on the threads.
void over_many(size_t arrays, FunctionRef<int64_t(size_t)> size,
               FunctionRef<void(const Piece&)> body);

// How many blocks over_many() makes of them.
int64_t blocks_of(size_t arrays, FunctionRef<int64_t(size_t)> size);

}  // namespace fovea::kernels
