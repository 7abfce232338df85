#pragma once

#include <span>

#include "fovea/kernels/ragged_rows.h"
#include "fovea/kernels/view.h"

namespace fovea::kernels {

constexpr int kMostTopK = 256;

// The k best of each group of rows, best first; of equal ones the smaller index
// comes first. NaN counts as minus infinity.
struct TopK {
  int k = 1;                // 1 to kMostTopK
  std::span<float> values;  // [groups, k]
  std::span<int> indices;   // (row within the group) * cols + column
};  // a group of fewer than k elements ends with -infinity and index -1

// Every row is its own group.
void topk(ConstMatrixView x, const TopK& best);

// Group g is rows groups[g] to groups[g+1]: the candidates of one beam search.
// `bias`, unless empty, has a number for each row that is added to all its
// elements first.
void topk_groups(ConstMatrixView x, std::span<const int> groups,
                 std::span<const float> bias, const TopK& best);

// y = x for the k largest entries of each row, of equal ones the first; minus
// infinity for all others. Any k >= 1; y may be x.
void keep_topk(const float* x, const RaggedRows& rows, int k, float* y);

}  // namespace fovea::kernels
