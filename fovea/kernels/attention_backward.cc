#include <cmath>

#include "fovea/base/parallel.h"
#include "fovea/kernels/attention.h"
#include "fovea/kernels/attention_plan.h"
#include "fovea/tensor/allocator.h"

// Highway compiles the part below once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/attention_backward.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "fovea/kernels/attention_block-inl.h"
#include "fovea/kernels/attention_gradient-inl.h"
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
  const AttentionGradients& grads;
  HeadSizes sizes;
  int stretch;  // queries that are packed at a time
  // The first result for a row replaces what is there; it need not be cleared.
  bool write_q, write_kv;

  int width_k() const { return round_up(sizes.k, kPanel); }
  int width_v() const { return round_up(sizes.v, kPanel); }
};

// A worker's memory.
struct Workspace {
  // A stretch of queries.
  float *q, *q_columns, *dout, *dout_columns, *dq, *log_sum, *mean;
  // A block of keys.
  float *k, *k_columns, *v, *dk, *dv;
  // [kQueries, kStride]: scores, then weights; their gradients; the slopes of
  // a score function.
  float *p, *dp, *slopes;

  static size_t size(const Call& call) {
    const size_t k = call.width_k(), v = call.width_v();
    return call.stretch * (3 * k + 2 * v + 2) + kKeys * (3 * k + 2 * v) +
           (call.options.score ? 3 : 2) * kQueries * kStride;
  }
  Workspace(const Call& call, float* memory) {
    const auto take = [&memory](size_t floats) {
      memory += floats;
      return memory - floats;
    };
    const size_t k_size = call.width_k(), v_size = call.width_v();
    p = take(kQueries * kStride);
    dp = take(kQueries * kStride);
    k = take(kKeys * k_size);
    k_columns = take(kKeys * k_size);
    dk = take(kKeys * k_size);
    v = take(kKeys * v_size);
    dv = take(kKeys * v_size);
    q = take(call.stretch * k_size);
    q_columns = take(call.stretch * k_size);
    dq = take(call.stretch * k_size);
    dout = take(call.stretch * v_size);
    dout_columns = take(call.stretch * v_size);
    log_sum = take(call.stretch);
    mean = take(call.stretch);
    slopes = call.options.score ? take(kQueries * kStride) : nullptr;
  }
};

// One head of one span, and which of its queries and keys are worked on.
struct Head {
  const Call& call;
  const AttentionSpan& span;
  int index;  // of the span
  int head;
  KeyRange queries, keys;

  // One tile: operands are read once or twice.
  bool few_queries() const { return queries.end - queries.begin <= kQueries; }
  // Rows have all their keys in one block and nothing but the scale is done to
  // their scores: weigh_whole_row() will do.
  bool whole_rows() const {
    return call.options.dropout == 0 && call.options.alibi.empty() &&
           !call.options.score;
  }
  // One tile of queries and one block of keys, and nothing to add to: the
  // products go where their results belong.
  bool direct(KeyRange block, bool add) const {
    const AttentionGradients& grads = call.grads;
    return few_queries() && block.end - block.begin <= kKeys && !add &&
           call.write_q && !grads.add_q && !grads.add_k && !grads.add_v &&
           call.sizes.k % kPanel == 0 && call.sizes.v % kPanel == 0;
  }

  template <class T>
  Matrix<T> of_queries(Matrix<T> m, int64_t size, KeyRange r) const {
    return m.row_range(span.query + r.begin, span.query + r.end)
        .col_range(head * size, (head + 1) * size);
  }
  template <class T>
  Matrix<T> of_keys(Matrix<T> m, int64_t size, KeyRange r) const {
    const int64_t kv = head / call.sizes.shared;
    return m.row_range(span.key + r.begin, span.key + r.end)
        .col_range(kv * size, (kv + 1) * size);
  }
};

// Queries in the orders that the products read.
struct PackedQueries {
  KeyRange rows;
  Left q, dout;  // q times query_scale(), unless rows are weighed whole
  Right q_columns, dout_columns;
};

struct PackedKeys {
  KeyRange rows;
  Right k, v;  // transposed
  Right k_columns;
};

PackedQueries pack_queries(const Head& h, KeyRange rows, bool whole,
                           const Workspace& w) {
  const Call& call = h.call;
  const AttentionGradients& grads = call.grads;
  const int k = call.sizes.k, v = call.sizes.v;
  const ConstMatrixView q = h.of_queries(call.in.q, k, rows);
  const ConstMatrixView dout = h.of_queries(grads.dout, v, rows);
  const ConstMatrixView out = h.of_queries(grads.out, v, rows);
  const ConstMatrixView log_sum = h.of_queries(grads.logsumexp, 1, rows);
  for (int64_t r = 0; r < q.rows; ++r) {
    // the sum of p dp over the keys (SPEC Z4), dropout included
    if (!whole) w.mean[r] = dot(dout.row(r), out.row(r), v);
    const float x = log_sum.row(r)[0];
    w.log_sum[r] = x == -kInfinity ? 0.0f : x * kLog2E;
  }
  const bool few = h.few_queries();
  return {rows,
          whole ? Left{q.data, q.stride, 1}
                : pack_rows(q, query_scale(call.options), w.q),
          few ? Left{dout.data, dout.stride, 1} : pack_rows(dout, 1.0f, w.dout),
          columns_of(q, few, w.q_columns),
          columns_of(dout, few, w.dout_columns)};
}

PackedKeys pack_keys(const Head& h, KeyRange rows, const Workspace& w) {
  const Call& call = h.call;
  const ConstMatrixView k = h.of_keys(call.in.k, call.sizes.k, rows);
  const ConstMatrixView v = h.of_keys(call.in.v, call.sizes.v, rows);
  return {rows, pack_transposed(k, w.k), pack_transposed(v, w.v),
          columns_of(k, h.few_queries(), w.k_columns)};
}

struct Tile {
  const PackedQueries& queries;
  const PackedKeys& keys;
  float scale;                       // of the gradients of the scores
  bool whole;                        // rows are weighed by weigh_whole_row()
  int first = 0;                     // of the queries
  Result dq = {}, dk = {}, dv = {};  // no data: not wanted
};

// Weights and gradients of the scores of a tile, in w.p and w.dp.
void weigh_tile(const Head& h, const Tile& t, const ScoreBlock& scores,
                BlockRows& rows, const Workspace& w) {
  const AttentionOptions& options = h.call.options;
  const KeyRange block = t.keys.rows;
  const Result p{w.p, kStride}, dp{w.dp, kStride};
  score_block(t.queries.q.rows_from(t.first), t.keys.k, h.call.sizes.k, rows,
              p);
  score_block(t.queries.dout.rows_from(t.first), t.keys.v, h.call.sizes.v, rows,
              dp);
  change_scores(scores, rows, p, w.slopes);
  const int width = round_up(block.end - block.begin, kPanel);
  const Dropper drop(options.dropout, head_key(options, h.index, h.head));
  const auto weigh = t.whole ? weigh_whole_row : weigh_row;
  for (int r = 0; r < rows.count; ++r) {
    const int i = t.queries.rows.begin + t.first + r;
    const KeyRange range = rows.keys[r];
    const KeyRange seen = visible_keys(options, h.span, i);
    weigh(p.from(r, 0).data, dp.from(r, 0).data, range, width,
          {.log_sum = w.log_sum[t.first + r],
           .mean = w.mean[t.first + r],
           .factor = options.scale * kLog2E,
           .scale = t.scale,
           .slopes = options.score ? w.slopes + r * kStride : nullptr,
           .drop = options.dropout > 0 ? &drop : nullptr,
           .index = weight_index(h.span, i, block.begin),
           .single = seen.end - seen.begin == 1});
  }
}

template <Begin kBegin>
void run_tile(const Head& h, const Tile& t, const Workspace& w) {
  const Call& call = h.call;
  const KeyRange queries = t.queries.rows, block = t.keys.rows;
  const int count = std::min(kQueries, queries.end - queries.begin - t.first);
  KeyRange visible[kQueries];
  for (int r = 0; r < count; ++r) {
    visible[r] =
        visible_keys(call.options, h.span, queries.begin + t.first + r);
  }
  const ScoreBlock scores{
      call.options, h.span, h.index, h.head, queries.begin + t.first,
      block.begin};
  BlockRows rows(visible, count, block);
  hide_keys(scores, rows);
  if (rows.all.empty() && kBegin == Begin::kSum) return;
  weigh_tile(h, t, scores, rows, w);
  const int keys = block.end - block.begin;
  if (t.dv.data) {
    multiply_transposed<kBegin>(w.p, t.queries.dout_columns.inner_from(t.first),
                                rows, keys, call.width_v(), t.dv);
  }
  if (t.dk.data) {
    multiply_transposed<kBegin>(w.dp, t.queries.q_columns.inner_from(t.first),
                                rows, keys, call.width_k(), t.dk);
  }
  if (t.dq.data) {
    multiply<kBegin>(w.dp, t.keys.k_columns, rows, call.width_k(), t.dq);
  }
}

// All queries and all keys of a span of few.
void run_direct(const Head& h, KeyRange rows, KeyRange block,
                const Workspace& w) {
  const Call& call = h.call;
  const AttentionGradients& grads = call.grads;
  const PackedQueries queries = pack_queries(h, rows, h.whole_rows(), w);
  const PackedKeys keys = pack_keys(h, block, w);
  Tile t{queries, keys, call.options.scale, h.whole_rows()};
  if (grads.dq.data) t.dq = result(h.of_queries(grads.dq, call.sizes.k, rows));
  if (grads.dk.data) {
    prefetch_rows(h.of_keys(grads.dk, call.sizes.k, block));
    t.dk = result(h.of_keys(grads.dk, call.sizes.k, block));
  }
  if (grads.dv.data) {
    prefetch_rows(h.of_keys(grads.dv, call.sizes.v, block));
    t.dv = result(h.of_keys(grads.dv, call.sizes.v, block));
  }
  run_tile<Begin::kZero>(h, t, w);
}

// All queries of a stretch and one block of keys.
void run_block(const Head& h, const PackedQueries& queries, KeyRange block,
               bool add, const Workspace& w) {
  const Call& call = h.call;
  const PackedKeys keys = pack_keys(h, block, w);
  const int key_count = block.end - block.begin;
  std::fill_n(w.dk, key_count * call.width_k(), 0.0f);
  std::fill_n(w.dv, key_count * call.width_v(), 0.0f);
  const int count = queries.rows.end - queries.rows.begin;
  Tile t{queries, keys, 1.0f, false};
  if (call.grads.dk.data) t.dk = {w.dk, call.width_k()};
  if (call.grads.dv.data) t.dv = {w.dv, call.width_v()};
  for (; t.first < count; t.first += kQueries) {
    if (call.grads.dq.data) {
      t.dq = {w.dq + t.first * call.width_k(), call.width_k()};
    }
    run_tile<Begin::kSum>(h, t, w);
  }
  if (call.grads.dk.data) {
    unpack_rows(w.dk, call.width_k(), call.options.scale,
                add || call.grads.add_k,
                h.of_keys(call.grads.dk, call.sizes.k, block));
  }
  if (call.grads.dv.data) {
    unpack_rows(w.dv, call.width_v(), 1.0f, add || call.grads.add_v,
                h.of_keys(call.grads.dv, call.sizes.v, block));
  }
}

void clear_keys(const Head& h, KeyRange rows) {
  const Call& call = h.call;
  const AttentionGradients& grads = call.grads;
  if (rows.empty()) return;
  if (grads.dk.data && !grads.add_k)
    clear_rows(h.of_keys(grads.dk, call.sizes.k, rows));
  if (grads.dv.data && !grads.add_v)
    clear_rows(h.of_keys(grads.dv, call.sizes.v, rows));
}

void run_stretch(const Head& h, KeyRange rows, bool add, const Workspace& w) {
  const Call& call = h.call;
  const AttentionGradients& grads = call.grads;
  const KeyRange seen = visible_keys(call.options, h.span, rows.begin, rows.end)
                            .cut(h.keys.begin, h.keys.end);
  const int begin = seen.begin / kPanel * kPanel;
  if (!add) {
    clear_keys(h, {h.keys.begin, seen.empty() ? h.keys.end : begin});
    if (!seen.empty()) clear_keys(h, {seen.end, h.keys.end});
  }
  const bool add_q = grads.add_q || !call.write_q;
  if (seen.empty()) {
    if (grads.dq.data && !add_q)
      clear_rows(h.of_queries(grads.dq, call.sizes.k, rows));
    return;
  }
  if (h.few_queries()) {
    prefetch_rows(h.of_keys(call.in.k, call.sizes.k, seen));
    prefetch_rows(h.of_keys(call.in.v, call.sizes.v, seen));
    if (grads.dq.data) {
      prefetch_rows(h.of_queries(grads.dq, call.sizes.k, rows));
    }
  }
  if (h.direct({begin, seen.end}, add)) {
    return run_direct(h, rows, {begin, seen.end}, w);
  }
  const PackedQueries queries = pack_queries(h, rows, false, w);
  std::fill_n(w.dq, (rows.end - rows.begin) * call.width_k(), 0.0f);
  for (int j = begin; j < seen.end; j += kKeys) {
    run_block(h, queries, {j, std::min(j + kKeys, seen.end)}, add, w);
  }
  if (grads.dq.data) {
    unpack_rows(w.dq, call.width_k(), call.options.scale, add_q,
                h.of_queries(grads.dq, call.sizes.k, rows));
  }
}

void run_head(const Head& h, const Workspace& w) {
  const Call& call = h.call;
  const bool first_head = h.head % call.sizes.shared == 0;
  for (int i = h.queries.begin; i < h.queries.end; i += call.stretch) {
    const bool first = first_head && i == h.queries.begin;
    run_stretch(h, {i, std::min(i + call.stretch, h.queries.end)},
                !(call.write_kv && first), w);
  }
}

void clear(MatrixView m) {
  if (m.cols == 0) return;
  parallel_for(m.rows, 1 + (1 << 16) / m.cols, [&](int64_t begin, int64_t end) {
    clear_rows(m.row_range(begin, end));
  });
}

void Backward(const AttentionInputs& in, const AttentionOptions& options,
              const AttentionGradients& grads) {
  const AttentionBackwardTasks tasks(in, options);
  Call call{in,
            options,
            grads,
            head_sizes(in, options),
            0,
            tasks.covers_q(),
            tasks.covers_kv()};
  if (!call.write_q && !grads.add_q) clear(grads.dq);
  if (!call.write_kv && !grads.add_k) clear(grads.dk);
  if (!call.write_kv && !grads.add_v) clear(grads.dv);
  constexpr int kPackedFloats = 1 << 18;  // 1 MB
  const int fit = kPackedFloats / (2 * call.width_k() + 2 * call.width_v());
  call.stretch = std::min(std::max(1, fit / kQueries) * kQueries,
                          round_up(tasks.most_queries(), kPanel));
  // A cache line more, so that workers do not share one.
  const size_t size = Workspace::size(call) + kPanel;
  const Scratch<float> memory(size * thread_limit());
  tasks.run([&](const AttentionBackwardTask& task, int worker) {
    const Workspace w(call, &memory[worker * size]);
    for (int head = task.kv_head * call.sizes.shared;
         head < (task.kv_head + 1) * call.sizes.shared; ++head) {
      run_head(
          {call, in.spans[task.span], task.span, head, task.queries, task.keys},
          w);
    }
  });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fovea::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
namespace {
HWY_EXPORT(Backward);
}  // namespace

void attention_backward(const AttentionInputs& in,
                        const AttentionOptions& options,
                        const AttentionGradients& grads) {
  HWY_DYNAMIC_DISPATCH(Backward)(in, options, grads);
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
