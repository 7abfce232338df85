#include <cmath>
#include <cstring>
#include <limits>

#include "fovea/base/parallel.h"
#include "fovea/kernels/attention.h"
#include "fovea/kernels/attention_plan.h"
#include "fovea/tensor/allocator.h"

// Highway compiles the part below once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/attention_forward.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "fovea/kernels/attention_block-inl.h"
#include "fovea/kernels/attention_blocks-inl.h"
#include "fovea/kernels/attention_few-inl.h"
#include "fovea/kernels/attention_pack-inl.h"
#include "fovea/kernels/attention_score-inl.h"
#include "fovea/kernels/attention_tile-inl.h"
#include "fovea/kernels/random-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels {
namespace HWY_NAMESPACE {
namespace {

// What is the same for all tasks of a call.
struct Call {
  const AttentionInputs& in;
  const AttentionOptions& options;
  const AttentionOutputs& out;
  HeadSizes sizes;
  int stretch;  // keys that are packed at a time

  int width() const { return round_up(sizes.v, kPanel); }
};

// One head of one span.
struct Head {
  const Call& call;
  const AttentionSpan& span;
  int index;  // of the span
  int head;

  ConstMatrixView q(int first, int rows) const {
    const int64_t size = call.sizes.k;
    return call.in.q.row_range(span.query + first, span.query + first + rows)
        .col_range(head * size, (head + 1) * size);
  }
  MatrixView out(int first, int rows) const {
    const int64_t size = call.sizes.v;
    return call.out.out.row_range(span.query + first, span.query + first + rows)
        .col_range(head * size, (head + 1) * size);
  }
};

// A worker's memory.
struct Workspace {
  float* q;       // [kQueries, d_k], times query_scale()
  float* scores;  // [kQueries, kStride], then weights
  float* o;       // [kQueries, width], not yet divided by the sum
  float* factor;  // [kQueries], what a new maximum does to the sums so far
  float* k;       // panels of one stretch of keys
  float* v;
  float* max;  // of the scores so far, for each query and head of the task
  float* sum;  // of 2^(score - max) so far, the same

  static size_t size(const Call& call, size_t queries) {
    return size_t{kQueries} * (call.sizes.k + kStride + call.width() + 1) +
           size_t{1} * call.stretch * (call.sizes.k + call.width()) +
           2 * queries;
  }
  Workspace(const Call& call, size_t queries, float* memory) {
    const auto take = [&memory](size_t floats) {
      memory += floats;
      return memory - floats;
    };
    k = take(size_t{1} * call.stretch * call.sizes.k);
    v = take(size_t{1} * call.stretch * call.width());
    scores = take(kQueries * kStride);
    o = take(size_t{kQueries} * call.width());
    q = take(size_t{kQueries} * call.sizes.k);
    factor = take(kQueries);
    max = take(queries);
    sum = take(queries);
  }
};

// The keys that are packed.
struct Stretch {
  KeyRange keys;
  Right k, v;
};

struct Tile {
  int first, rows;   // queries
  float *max, *sum;  // [rows]
};

void drop_weights(const Head& h, const Tile& tile, int block,
                  const BlockRows& rows, float* s) {
  const AttentionOptions& options = h.call.options;
  if (options.dropout <= 0) return;
  const Dropper drop(options.dropout, head_key(options, h.index, h.head));
  for (int r = 0; r < tile.rows; ++r) {
    const uint32_t index = weight_index(h.span, tile.first + r, block);
    const int end = round_up(rows.keys[r].end, kPanel);
    float* at = s + r * kStride;
    for (int j = rows.keys[r].begin / kPanel * kPanel; j < end; j += kLanes) {
      hn::StoreU(drop(kFloats, hn::LoadU(kFloats, at + j),
                      index + static_cast<uint32_t>(j)),
                 kFloats, at + j);
    }
  }
}

// Calls fn(block, rows) with the finished scores of each block in w.scores.
template <class Fn>
HWY_INLINE void for_score_blocks(const Head& h, const Tile& tile,
                                 const Stretch& keys, const Workspace& w,
                                 Fn fn) {
  const AttentionOptions& options = h.call.options;
  const Left q =
      pack_rows(h.q(tile.first, tile.rows), query_scale(options), w.q);
  for_score_blocks({options, h.span, h.index, h.head, tile.first, 0},
                   {q, tile.rows, keys.k, keys.keys, h.call.sizes.k}, w.scores,
                   fn);
}

void attend_tile(const Head& h, const Tile& tile, const Stretch& keys,
                 const Workspace& w) {
  for_score_blocks(h, tile, keys, w, [&](int block, const BlockRows& rows) {
    soften_block({w.scores, kStride}, rows, {tile.max, tile.sum, w.factor});
    drop_weights(h, tile, block, rows, w.scores);
    mix_block({w.scores, kStride, 1},
              keys.v.inner_from(block - keys.keys.begin), rows, h.call.width(),
              {w.o, h.call.width()}, w.factor);
  });
}

// Divides by the sums.
void finish_tile(const Head& h, const Tile& tile, const Workspace& w) {
  const int width = h.call.width();
  for (int r = 0; r < tile.rows; ++r) {
    const float sum = tile.sum[r];
    const float inverse = sum == 0 ? 0.0f : 1.0f / sum;
    unpack_rows(w.o + r * width, width, inverse, false,
                h.out(tile.first + r, 1));
    if (h.call.out.logsumexp.data) {
      h.call.out.logsumexp.row(h.span.query + tile.first + r)[h.head] =
          sum == 0 ? -kInfinity : tile.max[r] * kLn2 + std::log(sum);
    }
  }
}

// All queries of a task and one head over one stretch of keys; between
// stretches the sums wait in the result.
void attend_stretch(const Head& h, const AttentionTask& task,
                    const Stretch& keys, KeyRange all, const Workspace& w) {
  const int width = h.call.width();
  const size_t rows_before =
      size_t(h.head % h.call.sizes.shared) * (task.end - task.begin);
  for (int first = task.begin; first < task.end; first += kQueries) {
    const size_t at = rows_before + (first - task.begin);
    const Tile tile{first, std::min(kQueries, task.end - first), w.max + at,
                    w.sum + at};
    if (keys.keys.begin <= all.begin) {
      std::fill_n(tile.max, tile.rows, -kInfinity);
      std::fill_n(tile.sum, tile.rows, 0.0f);
      std::fill_n(w.o, tile.rows * width, 0.0f);
    } else {
      unpack_rows(h.out(first, 1).data, h.call.out.out.stride, 1.0f, false,
                  {w.o, tile.rows, h.call.sizes.v, width});
    }
    prefetch_rows(h.out(first, tile.rows));
    const int next = first + tile.rows;
    prefetch_rows(h.q(next, std::min(kQueries, task.end - next)));
    attend_tile(h, tile, keys, w);
    if (keys.keys.end >= all.end) {
      finish_tile(h, tile, w);
    } else {
      unpack_rows(w.o, width, 1.0f, false, h.out(first, tile.rows));
    }
  }
}

// The weights of one head, when its sums are known.
void write_weights(const Head& h, const AttentionTask& task,
                   const Stretch& keys, const Workspace& w, float* weights) {
  const size_t rows_before =
      size_t(h.head % h.call.sizes.shared) * (task.end - task.begin);
  for (int first = task.begin; first < task.end; first += kQueries) {
    const size_t at = rows_before + (first - task.begin);
    const Tile tile{first, std::min(kQueries, task.end - first), w.max + at,
                    w.sum + at};
    for_score_blocks(h, tile, keys, w, [&](int block, const BlockRows& rows) {
      for (int r = 0; r < tile.rows; ++r) {
        float* s = w.scores + r * kStride;
        float* to = weights + int64_t{first + r} * h.span.keys + block;
        const KeyRange range = rows.keys[r];
        const float sum = tile.sum[r];
        const Vector inverse = hn::Set(kFloats, sum == 0 ? 0.0f : 1.0f / sum);
        const Vector shift = hn::Set(kFloats, sum == 0 ? 0.0f : tile.max[r]);
        for (int j = range.begin / kPanel * kPanel; j < range.end;
             j += kLanes) {
          const Vector p = exp2(hn::Sub(hn::LoadU(kFloats, s + j), shift));
          hn::StoreU(hn::Mul(p, inverse), kFloats, s + j);
        }
        std::copy(s + range.begin, s + range.end, to + range.begin);
      }
    });
  }
}

// Calls fn(stretch) for the keys that the queries of a task see, packed.
template <class Fn>
HWY_INLINE void for_stretches(const Call& call, const AttentionTask& task,
                              int kv_head, KeyRange all, const Workspace& w,
                              Fn fn) {
  const AttentionSpan& span = call.in.spans[task.span];
  const int64_t k = call.sizes.k, v = call.sizes.v;
  if (all.empty()) return fn(Stretch{all, {}, {}});
  const bool few = (task.end - task.begin) * call.sizes.shared <= kQueries;
  int begin = all.begin / kBlock * kBlock;
  for (; begin < all.end; begin += call.stretch) {
    const int end = std::min(begin + call.stretch, all.end);
    const auto rows = [&](ConstMatrixView m, int64_t size) {
      return m.row_range(span.key + begin, span.key + end)
          .col_range(kv_head * size, (kv_head + 1) * size);
    };
    fn(Stretch{{begin, end},
               pack_transposed(rows(call.in.k, k), w.k),
               columns_of(rows(call.in.v, v), few, w.v)});
  }
}

// Queries that see the same keys, all of them in one block.
bool are_few(const Call& call, const AttentionTask& task, KeyRange all) {
  const AttentionOptions& options = call.options;
  const int queries = task.end - task.begin;
  if (queries > kChains || queries * options.heads > kQueries) return false;
  const KeyRange first =
      visible_keys(options, call.in.spans[task.span], task.begin);
  const KeyRange last =
      visible_keys(options, call.in.spans[task.span], task.end - 1);
  return first.begin == last.begin && first.end == last.end && !all.empty() &&
         all.end <= all.begin / kBlock * kBlock + kBlock &&
         call.sizes.shared == 1 && call.sizes.k % 4 == 0 &&
         call.sizes.v % kPanel == 0 && options.alibi.empty() &&
         options.score == nullptr && options.dropout <= 0;
}

// What the scores `s` of a query make of the values; they become weights, not
// yet divided by their sum.
void finish_query(const Head& h, const AttentionTask& task, int query, int base,
                  KeyRange keys, float* s, const Workspace& w) {
  const Call& call = h.call;
  const int64_t size = call.sizes.v;
  float max = row_max(s, keys, -kInfinity);
  float sum = row_exp2(s, keys, max == -kInfinity ? 0.0f : max);
  const ConstMatrixView v =
      call.in.v.row_range(h.span.key + base + keys.begin, call.in.v.rows)
          .col_range(h.head * size, (h.head + 1) * size);
  const Left p{s + keys.begin, 0, 1};
  const Right values{v.data, v.stride, kPanel};
  const int64_t count = keys.end - keys.begin;
  int c = 0;
  for (; c + 4 * kPanel <= size; c += 4 * kPanel) {
    tile<1, 4, Begin::kZero>({p, values.columns_from(c), count, {w.o + c, 0}});
  }
  for (; c < size; c += kPanel) {
    tile<1, 1, Begin::kZero>({p, values.columns_from(c), count, {w.o + c, 0}});
  }
  finish_tile(h, {query, 1, &max, &sum}, w);
  const std::span<const int> asked = call.out.weight_heads;
  for (size_t i = 0; i < asked.size(); ++i) {
    if (asked[i] != h.head) continue;
    float* weights = call.out.weights.data() + task.weights +
                     (int64_t(i) * h.span.queries + query) * h.span.keys;
    std::fill_n(weights, h.span.keys, 0.0f);
    const float inverse = sum == 0 ? 0.0f : 1.0f / sum;
    for (int j = keys.begin; j < keys.end; ++j) {
      weights[base + j] = s[j] * inverse;
    }
  }
}

// The first ones: a step of decoding looks at each once, so that all are far.
HWY_INLINE void prefetch_values(const Call& call, const AttentionSpan& span,
                                KeyRange keys) {
  constexpr int kMost = 24;
  const int end = std::min(keys.begin + kMost, keys.end);
  prefetch_rows(call.in.v.row_range(span.key + keys.begin, span.key + end));
}

void run_few(const Call& call, const AttentionTask& task, KeyRange all,
             const Workspace& w) {
  const AttentionSpan& span = call.in.spans[task.span];
  const int64_t size = call.sizes.k;
  const int queries = task.end - task.begin;
  const Left q = pack_rows(
      call.in.q.row_range(span.query + task.begin, span.query + task.end),
      query_scale(call.options), w.q);
  const int base = all.begin / kBlock * kBlock;
  const KeyRange keys{all.begin - base, all.end - base};
  prefetch_values(call, span, all);
  const bool one = queries == 1;
  // One query: a chain for each of some heads. Several: one for each of them.
  const int together = one ? kChains : 1;
  for (int h = task.kv_begin; h < task.kv_end; h += together) {
    const int heads = std::min(together, task.kv_end - h);
    const ConstMatrixView k =
        call.in.k.row_range(span.key + base, span.key + all.end)
            .col_range(h * size, (h + heads) * size);
    const Chains chains{q.data + h * size, one ? size : q.row, one ? size : 0,
                        size};
    const int count = std::max(heads, queries);
    score_chains(chains, count, k, keys, {w.scores, kStride});
    for (int i = 0; i < count; ++i) {
      finish_query({call, span, task.span, one ? h + i : h}, task,
                   task.begin + (one ? 0 : i), base, keys,
                   w.scores + i * kStride, w);
    }
  }
}

void run_task(const Call& call, const AttentionTask& task, const Workspace& w) {
  const AttentionSpan& span = call.in.spans[task.span];
  const int shared = call.sizes.shared;
  const KeyRange all = visible_keys(call.options, span, task.begin, task.end);
  if (are_few(call, task, all)) return run_few(call, task, all, w);
  const std::span<const int> asked = call.out.weight_heads;
  for (int kv = task.kv_begin; kv < task.kv_end; ++kv) {
    for_stretches(call, task, kv, all, w, [&](const Stretch& keys) {
      for (int h = kv * shared; h < (kv + 1) * shared; ++h) {
        attend_stretch({call, span, task.span, h}, task, keys, all, w);
      }
    });
    for (size_t i = 0; i < asked.size(); ++i) {
      if (asked[i] / shared != kv) continue;
      const int64_t block = int64_t{span.queries} * span.keys;
      float* weights =
          call.out.weights.data() + task.weights + int64_t(i) * block;
      std::fill(weights + int64_t{task.begin} * span.keys,
                weights + int64_t{task.end} * span.keys, 0.0f);
      for_stretches(call, task, kv, all, w, [&](const Stretch& keys) {
        write_weights({call, span, task.span, asked[i]}, task, keys, w,
                      weights);
      });
    }
  }
}

void Forward(const AttentionInputs& in, const AttentionOptions& options,
             const AttentionOutputs& out) {
  Call call{in, options, out, head_sizes(in, options), 0};
  const AttentionTasks tasks(in, options, out.weight_heads.size());
  constexpr int kPackedFloats = 1 << 18;  // 1 MB
  const int fit = kPackedFloats / (call.sizes.k + call.width());
  call.stretch = std::min(std::max(1, fit / kBlock) * kBlock,
                          round_up(tasks.most_keys(), kPanel));
  const size_t queries = size_t{1} * tasks.most_queries() * call.sizes.shared;
  // A cache line more, so that workers do not share one.
  const size_t size = Workspace::size(call, queries) + kPanel;
  const Scratch<float> memory(size * tasks.workers());
  tasks.run([&](const AttentionTask& task, int worker) {
    run_task(call, task, Workspace(call, queries, &memory[worker * size]));
  });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fovea::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
namespace {
HWY_EXPORT(Forward);
}  // namespace

void attention_forward(const AttentionInputs& in,
                       const AttentionOptions& options,
                       const AttentionOutputs& out) {
  HWY_DYNAMIC_DISPATCH(Forward)(in, options, out);
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
