#pragma once

#include <cstdint>
#include <span>

#include "fovea/kernels/view.h"

namespace fovea::kernels {

// The keys that one query row meets: consecutive rows of the key matrix.
struct PairRow {
  int key = 0;         // row of the first
  int keys = 0;        // how many
  int64_t offset = 0;  // keys of all rows before this one
};

// A number for each query row, head and key that meet. Those of row m lie one
// after another, head by head: that of head h and key j is at
//   heads * rows[m].offset + h * rows[m].keys + j.
// Query head h meets key head h / (heads / key_heads). Rows may share keys.
struct PairLayout {
  std::span<const PairRow> rows;
  int heads = 1;
  int key_heads = 1;  // divides heads

  int64_t begin(int64_t m, int h) const {
    return heads * rows[m].offset + h * int64_t{rows[m].keys};
  }
};

// The products below do not depend on the number of threads, and what they give
// for a row depends on no other row.

// s(m,h,j) = scale * <a[m,h], b[key,h]>, or += it. a [M, heads * d],
// b [N, key_heads * d].
void pair_dot(ConstMatrixView a, ConstMatrixView b, const PairLayout& pairs,
              float scale, bool accumulate, float* s);

// s(m,h,j) = |a[m,h] - b[key,h]|^2.
void pair_distance(ConstMatrixView a, ConstMatrixView b,
                   const PairLayout& pairs, float* s);

// out[m,h] = scale * sum over j of s(m,h,j) b[key,h], or += it. out
// [M, heads * d]. A row without keys gives zeros.
void pair_gather(const float* s, ConstMatrixView b, const PairLayout& pairs,
                 float scale, bool accumulate, MatrixView out);

// out[key,h] += scale * sum over the m that meet the key of s(m,h,j) a[m,h].
// out [N, key_heads * d]; the caller clears it.
void pair_scatter(const float* s, ConstMatrixView a, const PairLayout& pairs,
                  float scale, MatrixView out);

}  // namespace fovea::kernels
