#pragma once

#include <span>

#include "fovea/kernels/pairs.h"

// Numbers of rows, keys and relations spread over the pairs, and the sums that
// lead back. Each can add to what is there; none depends on the number of
// threads.
namespace fovea::kernels {

// s(m,h,j) = x[m,h]. x [M, heads].
void pair_of_rows(ConstMatrixView x, const PairLayout& pairs, bool accumulate,
                  float* s);
// out[m,h] = the sum over j of s(m,h,j).
void pair_row_sums(const float* s, const PairLayout& pairs, bool accumulate,
                   MatrixView out);

// s(m,h,j) = x[key,h]. x [N, key_heads].
void pair_of_keys(ConstMatrixView x, const PairLayout& pairs, bool accumulate,
                  float* s);
// out[key,h] += the sum over the m that meet the key of s(m,h,j). out
// [N, key_heads]; the caller clears it.
void pair_key_sums(const float* s, const PairLayout& pairs, MatrixView out);

// `index` has a number below `count` for each row and key, in the order of the
// pairs of one head: i(m,j). s(m,h,j) = x[m, h * count + i]. x
// [M, heads * count].
void pair_pick(ConstMatrixView x, const PairLayout& pairs,
               std::span<const int> index, bool accumulate, float* s);
// out[m, h * count + i] += s(m,h,j); the caller clears it.
void pair_bucket_sums(const float* s, const PairLayout& pairs,
                      std::span<const int> index, MatrixView out);

}  // namespace fovea::kernels
