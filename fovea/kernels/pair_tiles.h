#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "fovea/base/parallel.h"
#include "fovea/kernels/pairs.h"

// How the products over pairs are cut into tasks and tiles.
namespace fovea::kernels {

// A query row in one head, and the keys that it meets.
struct PairTerm {
  int64_t m;
  int head;
  int64_t row;    // where its d numbers begin in the matrix of queries
  int64_t first;  // the number of it and key x is s[first + x]
  int key, end;
};

// The terms of one key head are numbered: all its query heads of the first row,
// then of the second...
class PairTerms {
 public:
  // The matrix of queries has this stride, and d numbers for each head.
  PairTerms(const PairLayout& pairs, int key_head, int64_t d, int64_t stride)
      : pairs_(pairs),
        group_(pairs.heads / pairs.key_heads),
        head_(key_head * group_),
        d_(d),
        stride_(stride) {}

  int64_t begin_of(int64_t m) const { return m * group_; }
  PairTerm operator[](int64_t t) const {
    const int64_t m = t / group_;
    const int h = head_ + static_cast<int>(t % group_);
    const PairRow& row = pairs_.rows[m];
    return {m,
            h,
            m * stride_ + h * d_,
            pairs_.begin(m, h) - row.key,
            row.key,
            row.key + row.keys};
  }

 private:
  const PairLayout& pairs_;
  int group_, head_;
  int64_t d_, stride_;
};

constexpr int kPairTile = 3;  // most terms in a tile

// Calls tile(terms, count, begin, end), where all `count` terms meet the keys
// from begin to end, so that every term meets each of its keys once, and in
// order; and every key its terms in order. Neighbours whose keys overlap go
// together over the keys they share, and one by one over the others.
template <class Tile>
void for_pair_tiles(const PairTerms& all, int64_t first, int64_t last,
                    const Tile& tile) {
  PairTerm terms[kPairTile];
  while (first < last) {
    terms[0] = all[first++];
    int count = 1, begin = terms[0].key, end = terms[0].end;
    for (; count < kPairTile && first < last; ++count, ++first) {
      terms[count] = all[first];
      const int from = std::max(begin, terms[count].key);
      const int to = std::min(end, terms[count].end);
      if (from >= to) break;
      begin = from;
      end = to;
    }
    for (int r = 0; r < count; ++r) {
      if (terms[r].key < begin) tile(terms + r, 1, terms[r].key, begin);
    }
    if (begin < end) tile(terms, count, begin, end);
    for (int r = 0; r < count; ++r) {
      if (end < terms[r].end) tile(terms + r, 1, end, terms[r].end);
    }
  }
}

// Calls fn with the number of terms as a constant.
template <class Fn>
void with_pair_count(int count, const Fn& fn) {
  if (count == 1) return fn(std::integral_constant<int, 1>());
  if (count == 2) return fn(std::integral_constant<int, 2>());
  fn(std::integral_constant<int, kPairTile>());
}

// Some terms of one key head.
struct PairPart {
  PairTerms terms;
  int64_t begin, end;
  int64_t d;
  float scale;
};

// Calls run(part, b of its key head) for parts that together hold all terms, in
// parallel. `stride` is that of the matrix of queries.
template <class Run>
void for_pair_parts(const PairLayout& pairs, ConstMatrixView b, int64_t stride,
                    float scale, const Run& run) {
  constexpr int64_t kWork = 1 << 16;  // products that are worth a task
  const int64_t rows = std::ssize(pairs.rows);
  if (rows == 0) return;
  const int64_t d = b.cols / pairs.key_heads;
  const int64_t all = pairs.begin(rows - 1, pairs.heads) * d;
  const int64_t wanted =
      std::clamp<int64_t>(all / pairs.key_heads / kWork, 1, rows);
  const int64_t block = (rows + wanted - 1) / wanted;
  const int64_t blocks = (rows + block - 1) / block;
  parallel_tasks(blocks * pairs.key_heads, [&](int64_t task, int) {
    const int head = static_cast<int>(task % pairs.key_heads);
    const int64_t begin = task / pairs.key_heads * block;
    const int64_t end = std::min(rows, begin + block);
    const PairTerms terms(pairs, head, d, stride);
    run(PairPart{terms, terms.begin_of(begin), terms.begin_of(end), d, scale},
        b.col_range(head * d, (head + 1) * d));
  });
}

// Calls run(key head, begin, end) for columns that together make up those of
// all key heads, `width` in all, in parallel: threads own columns of a sum over
// queries. `work` columns of pairs are worth a thread.
template <class Run>
void for_pair_columns(const PairLayout& pairs, int64_t width, int64_t work,
                      const Run& run) {
  constexpr int64_t kLine = 16;  // floats in a cache line
  const int64_t rows = std::ssize(pairs.rows);
  if (rows == 0) return;
  const int64_t d = width / pairs.key_heads;
  const int64_t lines = (d + kLine - 1) / kLine;
  const int64_t of_line =
      pairs.begin(rows - 1, pairs.heads) / pairs.key_heads * std::min(d, kLine);
  parallel_for(pairs.key_heads * lines, work / (of_line + 1) + 1,
               [&](int64_t first, int64_t last) {
                 while (first < last) {
                   const int64_t head = first / lines;
                   const int64_t end = std::min(last, (head + 1) * lines);
                   run(static_cast<int>(head), (first - head * lines) * kLine,
                       std::min(d, (end - head * lines) * kLine));
                   first = end;
                 }
               });
}

}  // namespace fovea::kernels
