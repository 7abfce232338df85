#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "fovea/autograd/var.h"
#include "fovea/kernels/pairs.h"
#include "fovea/tensor/segments.h"

namespace fovea {

// Which keys each query row meets in each head: the shape of ragged scores and
// weights. See kernels::PairLayout for the order of the numbers. Immutable;
// copies share.
class Pairs {
 public:
  // The keys of one query row, and where both stand in their sequences.
  struct Row {
    int key = 0, keys = 0;  // rows of the key matrix
    int first = 0;          // index of the first of them in its sequence
    int position = 0;       // of the query, as an index of keys
  };

  Pairs();  // no row
  // key_heads divides heads.
  Pairs(std::vector<Row> rows, int heads, int key_heads);

  int64_t rows() const;  // M
  int heads() const;     // H
  int key_heads() const;
  int64_t size() const;      // numbers in all: the sum of heads * keys
  int64_t key_rows() const;  // rows that the matrix of keys must have
  const Row& row(int64_t m) const;
  int64_t begin(int64_t m, int head) const;  // of this row's and head's numbers
  // Each row's and head's numbers as a segment: for softmax and its like.
  const Segments& segments() const;
  kernels::PairLayout layout() const;

 private:
  struct Data;
  std::shared_ptr<const Data> data_;
};

// scale * <q, k> for each pair: q [M, heads * d], k [N, key_heads * d].
Var pair_dot(const Var& q, const Var& k, const Pairs& pairs,
             float scale = 1.0f);
// |q - k|^2.
Var pair_distance(const Var& q, const Var& k, const Pairs& pairs);
// <v, tanh(q + k + coverage * w)>: v and w [heads * d], coverage a number for
// each pair; coverage and w may be left out together.
Var pair_additive(const Var& q, const Var& k, const Var& v, const Pairs& pairs,
                  const Var& coverage = {}, const Var& coverage_weight = {});

// The sum of the keys' rows of `values` [N, key_heads * d], weighed: [M, heads
// * d].
Var pair_sum(const Var& weights, const Var& values, const Pairs& pairs);

// An index below `count` for each row and key, the same for all heads: the
// relation of the two. In the order of the pairs of one head.
struct PairIndex {
  std::shared_ptr<const std::vector<int>> of;
  int count = 0;
};
// x[m, head * count + index] for each pair: x is [M, heads * count].
Var pair_pick(const Var& x, const Pairs& pairs, const PairIndex& index);
// The sums of the weights with the same index: [M, heads * count].
Var pair_bucket_sums(const Var& weights, const Pairs& pairs,
                     const PairIndex& index);

// x[key, head] for each pair: x is [N, heads].
Var pair_of_keys(const Var& x, const Pairs& pairs);
// The sum over all queries that meet a key: [N, heads], where N = `keys`.
Var pair_key_sums(const Var& weights, const Pairs& pairs, int64_t keys);
// x[m, head] for each pair: x is [M, heads]. And the sums over a row's keys.
Var pair_of_rows(const Var& x, const Pairs& pairs);
Var pair_row_sums(const Var& weights, const Pairs& pairs);

}  // namespace fovea
