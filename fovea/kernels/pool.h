#pragma once

#include <span>

#include "fovea/kernels/view.h"

// Reductions over the segments of a ragged batch: segment b is the rows
// offsets[b] to offsets[b + 1]. Rows of any stride.
namespace fovea::kernels {

// Of the rows offsets[b] to offsets[b + 1] of x, for each b: one row of y, or
// what is added to it. An empty segment gives zeros.
enum class Pool { kSum, kMean };
void segment_pool(Pool pool, ConstMatrixView x, std::span<const int> offsets,
                  MatrixView y, bool accumulate = false);
// dx[i, :] = dy[b, :], for every row i of segment b, divided by its length for
// the mean; or dx += it. Also repeats a row for each segment.
void segment_spread(Pool pool, ConstMatrixView dy, std::span<const int> offsets,
                    MatrixView dx, bool accumulate = false);

// The largest of each column in each segment, the first one on ties, and the
// row of x it came from ([B,D]; -1 in an empty segment, whose result is 0).
void segment_max(ConstMatrixView x, std::span<const int> offsets, MatrixView y,
                 std::span<int> winners);
// dx[winners[b, j], j] += dy[b, j]
void segment_max_backward(ConstMatrixView dy, std::span<const int> winners,
                          MatrixView dx);

}  // namespace fovea::kernels
