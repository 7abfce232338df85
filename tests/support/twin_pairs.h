#pragma once

#include <vector>

#include "fovea/kernels/pairs.h"
#include "support/gradients.h"

namespace fovea::testing {

// The products over pairs in double precision, one pair at a time.
struct TwinPairs {
  std::vector<kernels::PairRow> rows;
  int heads = 1, key_heads = 1;
  int d = 1;         // columns of a head
  int key_rows = 0;  // N

  TwinPairs(const std::vector<std::pair<int, int>>& key_and_keys, int heads,
            int key_heads, int d);

  kernels::PairLayout layout() const { return {rows, heads, key_heads}; }
  int64_t size() const;
  int64_t query_rows() const { return static_cast<int64_t>(rows.size()); }
  int64_t queries() const { return query_rows() * heads * d; }
  int64_t keys() const { return int64_t{key_rows} * key_heads * d; }

  Doubles dot(const Doubles& a, const Doubles& b) const;
  Doubles distance(const Doubles& a, const Doubles& b) const;
  Doubles gather(const Doubles& s, const Doubles& b) const;
  Doubles scatter(const Doubles& s, const Doubles& a) const;

  // Calls fn(number, query, key): the index of the pair's number, and of the
  // first of its d numbers in the matrices of queries and keys.
  void each(const std::function<void(int64_t, int64_t, int64_t)>& fn) const;
};

// Rows of every kind: all keys of a sequence, some, one, none; alone and in
// company; causal; a window that moves; and out of order.
std::vector<std::pair<int, int>> mixed_pairs();

}  // namespace fovea::testing
