#include <cmath>
#include <limits>

#include "fovea/base/parallel.h"
#include "fovea/kernels/attention_plan.h"
#include "fovea/kernels/candidates.h"
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
#include "fovea/kernels/topk_scan-inl.h"

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
  int stretch;  // keys that are packed at a time

  size_t lists() const { return size_t{kChunk} * sizes.shared; }
};

// A worker's memory.
struct Workspace {
  float* q;           // [kQueries, d_k], times query_scale()
  float* scores;      // [kQueries, kStride]
  float* k;           // panels of one stretch of keys
  float* weights;     // [k], of one row
  int32_t* memory;    // of the candidates
  Candidates* lists;  // [shared, kChunk]
  int packed = -1;    // which stretch is in k
};

// Memory that all workers' workspaces lie in.
class Workspaces {
 public:
  Workspaces(const Call& call, int workers)
      : call_(call),
        floats_(workers * floats()),
        ints_(workers * ints()),
        lists_(workers * call.lists()) {}

  Workspace of(int worker) const {
    const size_t head = call_.sizes.k;
    Workspace w;
    w.scores = &floats_[worker * floats()];
    w.q = w.scores + kQueries * kStride;
    w.k = w.q + kQueries * head;
    w.weights = w.k + call_.stretch * head;
    w.memory = &ints_[worker * ints()];
    w.lists = &lists_[worker * call_.lists()];
    return w;
  }

 private:
  size_t floats() const {
    const size_t head = call_.sizes.k;
    return kQueries * kStride + (kQueries + call_.stretch) * head +
           round_up(call_.choice.k, kPanel) + kPanel;
  }
  size_t ints() const {
    return call_.lists() * Candidates::room(call_.choice.k) + kPanel;
  }

  const Call& call_;
  Scratch<float> floats_;
  Scratch<int32_t> ints_;
  Scratch<Candidates> lists_;
};

// Queries [begin, end) of a span, at most kChunk, and one key-value head.
struct Chunk {
  const AttentionSpan& span;
  int index;  // of the span
  int kv, begin, end;
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
                           scan(kFloats, w.scores + r * kStride + range.begin,
                                range.end - range.begin, 0.0f,
                                block + range.begin, lists[r]);
                         }
                       });
    }
  }
}

// weights = the softmax of what the list holds, to base 2.
HWY_INLINE void soften(const Candidates& list, int count, float* weights) {
  const int width = round_up(count, kLanes);
  float top = -kInfinity;
  for (int i = 0; i < width; ++i) {
    weights[i] = i < count ? list.value(i) : -kInfinity;
    top = std::max(top, weights[i]);
  }
  Vector sum = hn::Zero(kFloats);
  for (int i = 0; i < width; i += kLanes) {
    const Vector x =
        hn::Sub(hn::LoadU(kFloats, weights + i), hn::Set(kFloats, top));
    const Vector p = exp2(x);
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
    const float* row = values.row(list.index(i)) + c;
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
      sum += weights[i] * values.row(list.index(i))[c];
    }
    out[c] = sum;
  }
}

void finish_row(const Call& call, const Chunk& c, int head, int query,
                Candidates& list, float* weights) {
  const int64_t row = c.span.query + query, size = call.sizes.v;
  const int count = list.finish();
  const ConstMatrixView values =
      call.in.v.row_range(c.span.key, c.span.key + c.span.keys)
          .col_range(c.kv * size, (c.kv + 1) * size);
  if (count > 0) soften(list, count, weights);
  mix_values(values, list, count, weights, call.out.row(row) + head * size);
  const TopkChoice& choice = call.choice;
  if (choice.keys.empty()) return;
  const int64_t at = choice.at(row, call.options.heads, head);
  for (int i = 0; i < choice.k; ++i) {
    choice.keys[at + i] = i < count ? c.span.key + list.index(i) : -1;
    choice.weights[at + i] = i < count ? weights[i] : 0.0f;
  }
}

void run_chunk(const Call& call, const Chunk& c, Workspace& w) {
  start_lists(call, w);
  const KeyRange all = visible_keys(call.options, c.span, c.begin, c.end);
  const int64_t size = call.sizes.k;
  int begin = all.begin / kBlock * kBlock;
  for (; begin < all.end; begin += call.stretch) {
    // Neighbours may see the same keys, but not as far.
    const int end = std::min(begin + call.stretch, c.span.keys);
    if (w.packed != begin) {
      pack_transposed(call.in.k.row_range(c.span.key + begin, c.span.key + end)
                          .col_range(c.kv * size, (c.kv + 1) * size),
                      w.k);
      w.packed = begin;
    }
    scan_stretch(call, c, {begin, end}, w);
  }
  for (int shared = 0; shared < call.sizes.shared; ++shared) {
    for (int i = c.begin; i < c.end; ++i) {
      finish_row(call, c, c.kv * call.sizes.shared + shared, i,
                 w.lists[shared * kChunk + (i - c.begin)], w.weights);
    }
  }
}

void Forward(const AttentionInputs& in, const AttentionOptions& options,
             MatrixView out, const TopkChoice& choice) {
  Call call{in, options, out, choice, head_sizes(in, options), 0};
  const AttentionTasks tasks(in, options, 0);
  constexpr int kPackedFloats = 1 << 18;  // 1 MB
  const int fit = kPackedFloats / call.sizes.k;
  call.stretch = std::min(std::max(1, fit / kBlock) * kBlock,
                          round_up(tasks.most_keys(), kPanel));
  const Workspaces memory(call, tasks.workers());
  tasks.run([&](const AttentionTask& task, int worker) {
    Workspace w = memory.of(worker);
    for (int kv = task.kv_begin; kv < task.kv_end; ++kv) {
      w.packed = -1;
      for (int i = task.begin; i < task.end; i += kChunk) {
        run_chunk(call,
                  {in.spans[task.span], task.span, kv, i,
                   std::min(i + kChunk, task.end)},
                  w);
      }
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
