#include <cmath>
#include <limits>

#include "fovea/base/parallel.h"
#include "fovea/kernels/attention_plan.h"
#include "fovea/kernels/topk_attention.h"
#include "fovea/tensor/allocator.h"

// Highway compiles the part below once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/topk_attention_forward.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "fovea/kernels/attention_block-inl.h"
#include "fovea/kernels/attention_blocks-inl.h"
#include "fovea/kernels/attention_pack-inl.h"
#include "fovea/kernels/attention_score-inl.h"
#include "fovea/kernels/attention_tile-inl.h"
#include "fovea/kernels/candidates-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels {
namespace HWY_NAMESPACE {
namespace {

// Queries whose candidates are in memory at a time.
constexpr int kChunk = 4 * kQueries;

// What is the same for all tasks of a call.
struct Call {
  const AttentionInputs& in;
  const AttentionOptions& options;
  MatrixView out;
  const TopkChoice& choice;
  HeadSizes sizes;
  int stretch;      // keys that are packed at a time
  int most_values;  // that are packed

  size_t lists() const { return size_t{kChunk} * sizes.shared; }
};

// A worker's memory.
struct Workspace {
  float* q;                  // [kQueries, d_k], times query_scale()
  float* scores;             // [kQueries, kStride]
  float* k;                  // panels of one stretch of keys
  float* v;                  // [most_values, d_v]
  float* weights;            // [k], of one row
  float* memory;             // of the candidates
  Candidates* lists;         // [shared, kChunk]
  KeyRange packed = {0, 0};  // what is in k
};

// Memory that all workers' workspaces lie in.
class Workspaces {
 public:
  Workspaces(const Call& call, int workers)
      : call_(call),
        floats_(workers * floats()),
        lists_(workers * call.lists()) {}

  Workspace of(int worker) const {
    const size_t head = call_.sizes.k;
    Workspace w;
    w.scores = &floats_[worker * floats()];
    w.q = w.scores + kQueries * kStride;
    w.k = w.q + kQueries * head;
    w.v = w.k + call_.stretch * head;
    w.weights = w.v + call_.most_values * size_t(call_.sizes.v);
    w.memory = w.weights + round_up(call_.choice.k, kPanel);
    w.lists = &lists_[worker * call_.lists()];
    return w;
  }

 private:
  size_t floats() const {
    const size_t head = call_.sizes.k;
    return kQueries * kStride + (kQueries + call_.stretch) * head +
           call_.most_values * size_t(call_.sizes.v) +
           round_up(call_.choice.k, kPanel) +
           call_.lists() * Candidates::room(call_.choice.k) + kPanel;
  }

  const Call& call_;
  Scratch<float> floats_;
  Scratch<Candidates> lists_;
};

// Queries [begin, end) of a span, at most kChunk, and one key-value head.
struct Chunk {
  const AttentionSpan& span;
  int index;  // of the span
  int kv, begin, end;
  KeyRange task;           // what all queries of the task see
  ConstMatrixView values;  // of the span
};

void start_lists(const Call& call, const Workspace& w) {
  const int k = call.choice.k;
  for (size_t i = 0; i < call.lists(); ++i) {
    w.lists[i] = Candidates(k, w.memory + i * Candidates::room(k));
  }
}

// Offers the scores of all queries of a chunk with one stretch of keys.
void scan_stretch(const Call& call, const Chunk& c, KeyRange keys,
                  const Workspace& w) {
  const int64_t size = call.sizes.k;
  const Right k{w.k, kPanel, size * kPanel};
  for (int shared = 0; shared < call.sizes.shared; ++shared) {
    const int head = c.kv * call.sizes.shared + shared;
    for (int first = c.begin; first < c.end; first += kQueries) {
      const int rows = std::min(kQueries, c.end - first);
      const ConstMatrixView queries =
          call.in.q.row_range(c.span.query + first, c.span.query + first + rows)
              .col_range(head * size, (head + 1) * size);
      const Left q = pack_rows(queries, query_scale(call.options), w.q);
      Candidates* lists = w.lists + shared * kChunk + (first - c.begin);
      for_score_blocks({call.options, c.span, c.index, head, first, 0},
                       {q, rows, k, keys, size}, w.scores,
                       [&](int block, const BlockRows& seen) HWY_ATTR {
                         for (int r = 0; r < rows; ++r) {
                           const KeyRange range = seen.keys[r];
                           if (range.empty()) continue;
                           lists[r].offer(w.scores + r * kStride + range.begin,
                                          range.end - range.begin,
                                          block + range.begin);
                         }
                       });
    }
  }
}

// weights = the softmax of what the list holds, to base 2.
HWY_INLINE void soften(const Candidates& list, int count, float* weights) {
  const int width = round_up(count, kLanes);
  std::copy_n(list.values(), count, weights);
  std::fill(weights + count, weights + width, -kInfinity);
  Vector tops = hn::Set(kFloats, -kInfinity), sum = hn::Zero(kFloats);
  for (int i = 0; i < width; i += kLanes) {
    tops = hn::Max(tops, hn::LoadU(kFloats, weights + i));
  }
  const Vector top = hn::MaxOfLanes(kFloats, tops);
  for (int i = 0; i < width; i += kLanes) {
    const Vector p = exp2(hn::Sub(hn::LoadU(kFloats, weights + i), top));
    sum = hn::Add(sum, p);
    hn::StoreU(p, kFloats, weights + i);
  }
  const float inverse = 1.0f / hn::GetLane(hn::SumOfLanes(kFloats, sum));
  for (int i = 0; i < count; ++i) weights[i] *= inverse;
}

// Columns c on of the sum of the chosen values, weighed.
template <int kVectors>
HWY_INLINE void mix_columns(ConstMatrixView values, const Candidates& list,
                            int count, const float* weights, int64_t c,
                            float* out) {
  Vector sums[kVectors];
  HWY_UNROLL(4)
  for (int x = 0; x < kVectors; ++x) sums[x] = hn::Zero(kFloats);
  for (int i = 0; i < count; ++i) {
    const float* row = values.row(list.indices()[i]) + c;
    const Vector weight = hn::Set(kFloats, weights[i]);
    HWY_UNROLL(4)
    for (int x = 0; x < kVectors; ++x) {
      sums[x] =
          hn::MulAdd(weight, hn::LoadU(kFloats, row + x * kLanes), sums[x]);
    }
  }
  HWY_UNROLL(4)
  for (int x = 0; x < kVectors; ++x) {
    hn::StoreU(sums[x], kFloats, out + c + x * kLanes);
  }
}

void mix_values(ConstMatrixView values, const Candidates& list, int count,
                const float* weights, float* out) {
  int64_t c = 0;
  for (; c + 4 * kLanes <= values.cols; c += 4 * kLanes) {
    mix_columns<4>(values, list, count, weights, c, out);
  }
  for (; c + kLanes <= values.cols; c += kLanes) {
    mix_columns<1>(values, list, count, weights, c, out);
  }
  for (; c < values.cols; ++c) {
    float sum = 0;
    for (int i = 0; i < count; ++i) {
      sum += weights[i] * values.row(list.indices()[i])[c];
    }
    out[c] = sum;
  }
}

// What the next row reads.
HWY_INLINE void prefetch_values(const Chunk& c, Candidates& list) {
  const int count = list.finish();
  for (int i = 0; i < count; ++i) {
    prefetch_row(c.values.row(list.indices()[i]), c.values.cols);
  }
}

void finish_row(const Call& call, const Chunk& c, int head, int query,
                Candidates& list, float* weights) {
  const int64_t row = c.span.query + query, size = call.sizes.v;
  const int count = list.finish();  // known already
  if (count > 0) soften(list, count, weights);
  mix_values(c.values, list, count, weights, call.out.row(row) + head * size);
  const TopkChoice& choice = call.choice;
  if (choice.keys.empty()) return;
  const int64_t at = choice.at(row, call.options.heads, head);
  for (int i = 0; i < choice.k; ++i) {
    choice.keys[at + i] = i < count ? c.span.key + list.indices()[i] : -1;
    choice.weights[at + i] = i < count ? weights[i] : 0.0f;
  }
}

void run_chunk(const Call& call, const Chunk& c, Workspace& w) {
  start_lists(call, w);
  const KeyRange all = visible_keys(call.options, c.span, c.begin, c.end);
  const int64_t size = call.sizes.k;
  int begin = all.begin / kBlock * kBlock;
  // What the next chunks see as well is packed once.
  const int last = all.begin == c.task.begin ? c.task.end : all.end;
  for (; begin < all.end; begin += call.stretch) {
    const int end = std::min(begin + call.stretch, last);
    if (w.packed.begin != begin || w.packed.end != end) {
      pack_transposed(call.in.k.row_range(c.span.key + begin, c.span.key + end)
                          .col_range(c.kv * size, (c.kv + 1) * size),
                      w.k);
      w.packed = {begin, end};
    }
    scan_stretch(call, c, w.packed, w);
  }
  for (int shared = 0; shared < call.sizes.shared; ++shared) {
    Candidates* lists = w.lists + shared * kChunk - c.begin;
    prefetch_values(c, lists[c.begin]);
    for (int i = c.begin; i < c.end; ++i) {
      if (i + 1 < c.end) prefetch_values(c, lists[i + 1]);
      finish_row(call, c, c.kv * call.sizes.shared + shared, i, lists[i],
                 w.weights);
    }
  }
}

// The values of one head. Rows of several heads are far apart and meet in few
// sets of the cache, so that a copy pays if they are read more than once.
ConstMatrixView values_of(const Call& call, const AttentionTask& task, int kv,
                          const Workspace& w) {
  const AttentionSpan& span = call.in.spans[task.span];
  const int64_t size = call.sizes.v;
  const ConstMatrixView values =
      call.in.v.row_range(span.key, span.key + span.keys)
          .col_range(kv * size, (kv + 1) * size);
  const int64_t reads = int64_t{task.end - task.begin} * call.choice.k;
  if (span.keys > call.most_values || reads < 2 * span.keys) return values;
  pack_rows(values, 1.0f, w.v);
  return {w.v, values.rows, size};
}

void run_task(const Call& call, const AttentionTask& task, Workspace w) {
  const AttentionSpan& span = call.in.spans[task.span];
  const KeyRange seen = visible_keys(call.options, span, task.begin, task.end);
  for (int kv = task.kv_begin; kv < task.kv_end; ++kv) {
    w.packed = {0, 0};
    const ConstMatrixView values = values_of(call, task, kv, w);
    for (int i = task.begin; i < task.end; i += kChunk) {
      const int end = std::min(i + kChunk, task.end);
      run_chunk(call, {span, task.span, kv, i, end, seen, values}, w);
    }
  }
}

void Forward(const AttentionInputs& in, const AttentionOptions& options,
             MatrixView out, const TopkChoice& choice) {
  Call call{in, options, out, choice, head_sizes(in, options), 0, 0};
  const AttentionTasks tasks(in, options, 0);
  constexpr int kPackedFloats = 1 << 18;  // 1 MB
  const int fit = kPackedFloats / call.sizes.k;
  call.stretch = std::min(std::max(1, fit / kBlock) * kBlock,
                          round_up(tasks.most_keys(), kPanel));
  const bool few = tasks.most_keys() <= kPackedFloats / call.sizes.v;
  call.most_values = few && options.kv_heads > 1 ? tasks.most_keys() : 0;
  const Workspaces memory(call, tasks.workers());
  tasks.run([&](const AttentionTask& task, int worker) {
    run_task(call, task, memory.of(worker));
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

void topk_attention_forward(const AttentionInputs& in,
                            const AttentionOptions& options, MatrixView out,
                            const TopkChoice& choice) {
  assert(choice.k >= 1 && options.dropout == 0 && !options.score);
  HWY_DYNAMIC_DISPATCH(Forward)(in, options, out, choice);
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
