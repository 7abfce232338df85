#include "fovea/kernels/pair_spread.h"

#include <algorithm>
#include <cassert>

#include "fovea/base/parallel.h"

namespace fovea::kernels {
namespace {

constexpr int64_t kGrain = 1 << 14;  // numbers that are worth a thread

int64_t pairs_of_head(const PairLayout& pairs) {
  if (pairs.rows.empty()) return 0;
  return pairs.rows.back().offset + pairs.rows.back().keys;
}

// Calls body(m, h, begin of their numbers) for each row and head, in parallel.
template <class Body>
void for_each_row(const PairLayout& pairs, const Body& body) {
  const int64_t rows = std::ssize(pairs.rows);
  const int64_t all = pairs_of_head(pairs) * pairs.heads;
  parallel_for(rows, kGrain * rows / (all + rows + 1) + 1,
               [&](int64_t begin, int64_t end) {
                 for (int64_t m = begin; m < end; ++m) {
                   for (int h = 0; h < pairs.heads; ++h) {
                     body(m, h, pairs.begin(m, h));
                   }
                 }
               });
}

// s[j] = value(j), or += it.
template <class Value>
void put(float* s, int count, bool accumulate, const Value& value) {
  if (accumulate) {
    for (int j = 0; j < count; ++j) s[j] += value(j);
  } else {
    for (int j = 0; j < count; ++j) s[j] = value(j);
  }
}

}  // namespace

void pair_of_rows(ConstMatrixView x, const PairLayout& pairs, bool accumulate,
                  float* s) {
  assert(x.rows == std::ssize(pairs.rows) && x.cols == pairs.heads);
  for_each_row(pairs, [&](int64_t m, int h, int64_t begin) {
    const float value = x.row(m)[h];
    put(s + begin, pairs.rows[m].keys, accumulate, [&](int) { return value; });
  });
}

void pair_row_sums(const float* s, const PairLayout& pairs, bool accumulate,
                   MatrixView out) {
  assert(out.rows == std::ssize(pairs.rows) && out.cols == pairs.heads);
  for_each_row(pairs, [&](int64_t m, int h, int64_t begin) {
    double sum = accumulate ? out.row(m)[h] : 0.0;
    for (int j = 0; j < pairs.rows[m].keys; ++j) sum += s[begin + j];
    out.row(m)[h] = static_cast<float>(sum);
  });
}

void pair_of_keys(ConstMatrixView x, const PairLayout& pairs, bool accumulate,
                  float* s) {
  assert(x.cols == pairs.key_heads);
  const int group = pairs.heads / pairs.key_heads;
  for_each_row(pairs, [&](int64_t m, int h, int64_t begin) {
    const PairRow& row = pairs.rows[m];
    const float* first = x.data + row.key * x.stride + h / group;
    put(s + begin, row.keys, accumulate,
        [&](int j) { return first[j * x.stride]; });
  });
}

void pair_key_sums(const float* s, const PairLayout& pairs, MatrixView out) {
  assert(out.cols == pairs.key_heads);
  const int group = pairs.heads / pairs.key_heads;
  const int64_t work = pairs_of_head(pairs) * group;
  // Threads own key heads, and all of them see the rows in the same order.
  parallel_for(pairs.key_heads, kGrain / (work + 1) + 1,
               [&](int64_t first, int64_t last) {
                 for (int64_t m = 0; m < std::ssize(pairs.rows); ++m) {
                   const PairRow& row = pairs.rows[m];
                   for (int h = static_cast<int>(first) * group;
                        h < last * group; ++h) {
                     const float* from = s + pairs.begin(m, h);
                     float* to = out.data + row.key * out.stride + h / group;
                     for (int j = 0; j < row.keys; ++j)
                       to[j * out.stride] += from[j];
                   }
                 }
               });
}

void pair_pick(ConstMatrixView x, const PairLayout& pairs,
               std::span<const int> index, bool accumulate, float* s) {
  assert(std::ssize(index) == pairs_of_head(pairs));
  const int64_t count = x.cols / pairs.heads;
  for_each_row(pairs, [&](int64_t m, int h, int64_t begin) {
    const int* of = index.data() + pairs.rows[m].offset;
    const float* from = x.row(m) + h * count;
    put(s + begin, pairs.rows[m].keys, accumulate,
        [&](int j) { return from[of[j]]; });
  });
}

void pair_bucket_sums(const float* s, const PairLayout& pairs,
                      std::span<const int> index, MatrixView out) {
  assert(std::ssize(index) == pairs_of_head(pairs));
  const int64_t count = out.cols / pairs.heads;
  for_each_row(pairs, [&](int64_t m, int h, int64_t begin) {
    const int* of = index.data() + pairs.rows[m].offset;
    float* to = out.row(m) + h * count;
    for (int j = 0; j < pairs.rows[m].keys; ++j) to[of[j]] += s[begin + j];
  });
}

}  // namespace fovea::kernels
