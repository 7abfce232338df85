#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>

#include "fovea/base/parallel.h"
#include "fovea/kernels/attention.h"
#include "fovea/kernels/key_range.h"
#include "fovea/tensor/allocator.h"

// What the forward and the backward pass of attention share and that needs no
// SIMD: sizes, and who sees whom.
namespace fovea::kernels {

struct HeadSizes {
  int k, v;    // sizes of one head
  int shared;  // query heads that share one key-value head
};

inline HeadSizes head_sizes(const AttentionInputs& in,
                            const AttentionOptions& options) {
  assert(options.heads > 0 && options.kv_heads > 0);
  assert(options.heads % options.kv_heads == 0);
  assert(in.q.cols % options.heads == 0 && in.v.cols % options.kv_heads == 0);
  const HeadSizes sizes{static_cast<int>(in.q.cols / options.heads),
                        static_cast<int>(in.v.cols / options.kv_heads),
                        options.heads / options.kv_heads};
  assert(in.k.cols == int64_t{sizes.k} * options.kv_heads);
  return sizes;
}

// The keys that query i of a span sees.
inline KeyRange visible_keys(const AttentionOptions& options,
                             const AttentionSpan& span, int i) {
  const int64_t p = int64_t{span.position} + i;
  int64_t begin = 0, end = span.keys;
  if (options.causal) end = std::min(end, p + 1);
  if (options.window_right >= 0) {
    end = std::min(end, p + options.window_right + 1);
  }
  if (options.window_left >= 0)
    begin = std::max(begin, p - options.window_left);
  end = std::max<int64_t>(end, 0);
  begin = std::min(begin, end);
  return {static_cast<int>(begin), static_cast<int>(end)};
}

// Both ends of the range move forward from query to query, so the first and the
// last one bound all between them.
inline KeyRange visible_keys(const AttentionOptions& options,
                             const AttentionSpan& span, int from, int to) {
  if (from >= to) return {0, 0};
  return {visible_keys(options, span, from).begin,
          visible_keys(options, span, to - 1).end};
}

// Where the dropout of a head is drawn, and at which index.
inline RandomKey head_key(const AttentionOptions& options, int span, int head) {
  return options.key.with(static_cast<uint64_t>(span))
      .with(static_cast<uint64_t>(head));
}
inline uint32_t weight_index(const AttentionSpan& span, int i, int j) {
  return static_cast<uint32_t>(i) * static_cast<uint32_t>(span.keys) +
         static_cast<uint32_t>(j);
}

// Queries [begin, end) of a span, for some key-value heads.
struct AttentionTask {
  int span, kv_begin, kv_end, begin, end;
  int64_t weights;  // where the weights of the span begin
};

// Cuts the forward pass into tasks. Any cut gives the same bits, since rows do
// not depend on each other.
class AttentionTasks {
 public:
  AttentionTasks(const AttentionInputs& in, const AttentionOptions& options,
                 size_t weight_heads);
  int workers() const { return workers_; }
  int most_queries() const { return most_queries_; }  // of a task
  int most_keys() const { return most_keys_; }
  void run(FunctionRef<void(const AttentionTask&, int worker)> body) const;

 private:
  int workers_ = 1, most_queries_ = 0, most_keys_ = 0;
  int64_t count_ = 0;
  Scratch<AttentionTask> tasks_;
};

// One head's share of the backward pass: these queries against these keys.
struct AttentionBackwardTask {
  int span, kv_head;
  KeyRange queries, keys;
};

// Cuts the backward pass into tasks so that no two that run at once add to the
// same row, and so that a row is added to in an order that does not depend on
// the threads. Spans that share keys go one after another. When there are few
// spans and heads, queries and keys are cut into n pieces each; round t pairs
// key piece i with query piece i + t (mod n), so that in a round every piece
// has one owner.
class AttentionBackwardTasks {
 public:
  AttentionBackwardTasks(const AttentionInputs& in,
                         const AttentionOptions& options);
  int most_queries() const { return most_queries_; }
  // True if every row of q (of k and v) belongs to exactly one task for each
  // key-value head.
  bool covers_q() const { return covers_q_; }
  bool covers_kv() const { return covers_kv_; }
  void run(
      FunctionRef<void(const AttentionBackwardTask&, int worker)> body) const;

 private:
  void find_groups(int used);
  KeyRange piece(int count, int64_t index, int unit) const;
  void run_part(int64_t index, int round,
                FunctionRef<void(const AttentionBackwardTask&)> body) const;

  const AttentionInputs& in_;
  int kv_heads_, pieces_ = 1, most_queries_ = 0;
  bool covers_q_ = false, covers_kv_ = false;
  bool serial_ = false;  // too little to do for a second thread
  Scratch<int> order_;   // spans by their first key
  Scratch<int> groups_;  // where in order_ each group begins, and its end
  int group_count_ = 0;
};

}  // namespace fovea::kernels
