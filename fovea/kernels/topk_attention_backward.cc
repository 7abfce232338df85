#include <algorithm>
#include <cassert>

#include "fovea/base/parallel.h"
#include "fovea/kernels/attention_plan.h"
#include "fovea/kernels/topk_attention.h"
#include "fovea/tensor/allocator.h"

// Highway compiles the part below once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/topk_attention_backward.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "fovea/kernels/loop-inl.h"

#ifndef FOVEA_TOPK_ATTENTION_ONCE
#define FOVEA_TOPK_ATTENTION_ONCE
namespace fovea::kernels {

// The keys of one row and head.
struct ChosenKeys {
  const int* keys;
  const float* weights;
  int count;
};

}  // namespace fovea::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// ds = scale * weight * (<dout, v> - its mean over the weights), SPEC Z4.
HWY_INLINE void score_gradients(const ChosenKeys& c, const float* dout,
                                ConstMatrixView v, float scale, float* ds) {
  float mean = 0;
  for (int i = 0; i < c.count; ++i) {
    ds[i] = sum_over(
        v.cols, [](FloatVec a, FloatVec b) HWY_ATTR { return hn::Mul(a, b); },
        dout, v.row(c.keys[i]));
    mean += c.weights[i] * ds[i];
  }
  for (int i = 0; i < c.count; ++i) {
    ds[i] = scale * c.weights[i] * (ds[i] - mean);
  }
}

// Columns `at` on of out (+)= the sum of the keys' rows, weighed by s.
template <int kVectors, bool kWhole>
HWY_INLINE void add_keys(const ChosenKeys& c, const float* s, ConstMatrixView k,
                         int64_t at, size_t n, bool add, float* out) {
  const size_t lanes = hn::Lanes(kFloats);
  FloatVec sums[kVectors];
  HWY_UNROLL(4)
  for (int x = 0; x < kVectors; ++x) {
    sums[x] = hn::Zero(kFloats);
    if (add) sums[x] = load_some<kWhole>(out + at + x * lanes, n);
  }
  for (int i = 0; i < c.count; ++i) {
    const float* row = k.row(c.keys[i]) + at;
    const FloatVec weight = hn::Set(kFloats, s[i]);
    HWY_UNROLL(4)
    for (int x = 0; x < kVectors; ++x) {
      sums[x] =
          hn::MulAdd(weight, load_some<kWhole>(row + x * lanes, n), sums[x]);
    }
  }
  HWY_UNROLL(4)
  for (int x = 0; x < kVectors; ++x) {
    store_some<kWhole>(sums[x], out + at + x * lanes, n);
  }
}

// Columns `at` on of out[key] += s * row for each key.
template <int kVectors, bool kWhole>
HWY_INLINE void add_to_keys(const ChosenKeys& c, const float* s,
                            const float* row, int64_t at, size_t n,
                            MatrixView out) {
  const size_t lanes = hn::Lanes(kFloats);
  FloatVec values[kVectors];
  HWY_UNROLL(4)
  for (int x = 0; x < kVectors; ++x) {
    values[x] = load_some<kWhole>(row + at + x * lanes, n);
  }
  for (int i = 0; i < c.count; ++i) {
    float* to = out.row(c.keys[i]) + at;
    const FloatVec weight = hn::Set(kFloats, s[i]);
    HWY_UNROLL(4)
    for (int x = 0; x < kVectors; ++x) {
      const FloatVec old = load_some<kWhole>(to + x * lanes, n);
      store_some<kWhole>(hn::MulAdd(weight, values[x], old), to + x * lanes, n);
    }
  }
}

// One query row and head: ds, and dq unless it is null.
void BackwardRow(const ChosenKeys& c, const float* dout, ConstMatrixView k,
                 ConstMatrixView v, float scale, float* ds, float* dq,
                 bool add_q) {
  score_gradients(c, dout, v, scale, ds);
  if (!dq) return;
  for_columns<4>(k.cols,
                 [&](auto vectors, auto whole, int64_t at, size_t n) HWY_ATTR {
                   add_keys<vectors(), whole()>(c, ds, k, at, n, add_q, dq);
                 });
}

void ScatterRow(const ChosenKeys& c, const float* s, const float* row,
                MatrixView out) {
  for_columns<4>(out.cols,
                 [&](auto vectors, auto whole, int64_t at, size_t n) HWY_ATTR {
                   add_to_keys<vectors(), whole()>(c, s, row, at, n, out);
                 });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fovea::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
namespace {

HWY_EXPORT(BackwardRow);
HWY_EXPORT(ScatterRow);

constexpr int64_t kColumns = 32;    // of a task of scatter()
constexpr int64_t kWork = 1 << 15;  // products that are worth a thread

ChosenKeys chosen_keys(const TopkChoice& choice, int64_t at) {
  int count = 0;
  while (count < choice.k && choice.keys[at + count] >= 0) ++count;
  return {&choice.keys[at], &choice.weights[at], count};
}

// Of one key-value head, or of a query head.
template <class View>
View head_of(View x, int64_t head, int64_t heads) {
  const int64_t size = x.cols / heads;
  return x.col_range(head * size, (head + 1) * size);
}

// out[key] += s * rows[query], where s has a number for each key chosen.
// Threads own columns of the result.
void scatter(const TopkChoice& choice, const float* s, ConstMatrixView rows,
             const AttentionOptions& options, MatrixView out) {
  const int64_t heads = options.heads, kv_heads = options.kv_heads;
  const int64_t size = out.cols / kv_heads, shared = heads / kv_heads;
  const int64_t blocks = (size + kColumns - 1) / kColumns;
  const int64_t work = rows.rows * shared * choice.k * std::min(size, kColumns);
  parallel_for(kv_heads * blocks, kWork / (work + 1) + 1,
               [&](int64_t first, int64_t last) {
                 for (int64_t task = first; task < last; ++task) {
                   const int64_t kv = task / blocks;
                   const int64_t begin = task % blocks * kColumns;
                   const int64_t end = std::min(size, begin + kColumns);
                   const MatrixView to =
                       head_of(out, kv, kv_heads).col_range(begin, end);
                   for (int64_t m = 0; m < rows.rows; ++m) {
                     for (int64_t h = kv * shared; h < (kv + 1) * shared; ++h) {
                       const int64_t at = choice.at(m, heads, h);
                       HWY_DYNAMIC_DISPATCH(ScatterRow)
                       (chosen_keys(choice, at), s + at,
                        rows.row(m) + h * size + begin, to);
                     }
                   }
                 }
               });
}

// ds for all that is chosen, and dq.
void backward_rows(const AttentionInputs& in, const AttentionOptions& options,
                   const TopkChoice& choice, const TopkGradients& g,
                   float* ds) {
  const int64_t heads = options.heads, shared = heads / options.kv_heads;
  const int64_t size = in.q.cols / heads;
  const int64_t work = heads * choice.k * (size + in.v.cols / options.kv_heads);
  parallel_for(in.q.rows, kWork / (work + 1) + 1,
               [&](int64_t first, int64_t last) {
                 for (int64_t m = first; m < last; ++m) {
                   for (int64_t h = 0; h < heads; ++h) {
                     const int64_t at = choice.at(m, heads, h);
                     float* dq = g.dq.data ? g.dq.row(m) + h * size : nullptr;
                     HWY_DYNAMIC_DISPATCH(BackwardRow)
                     (chosen_keys(choice, at), head_of(g.dout, h, heads).row(m),
                      head_of(in.k, h / shared, options.kv_heads),
                      head_of(in.v, h / shared, options.kv_heads),
                      options.scale, ds + at, dq, g.add_q);
                   }
                 }
               });
}

}  // namespace

void topk_attention_backward(const AttentionInputs& in,
                             const AttentionOptions& options,
                             const TopkChoice& choice,
                             const TopkGradients& gradients) {
  assert(choice.keys.size() ==
         static_cast<size_t>(in.q.rows * options.heads * choice.k));
  assert(choice.weights.size() == choice.keys.size());
  if (gradients.dq.data || gradients.dk.data) {
    const Scratch<float> ds(choice.keys.size());
    backward_rows(in, options, choice, gradients, ds.data());
    if (gradients.dk.data) {
      scatter(choice, ds.data(), in.q, options, gradients.dk);
    }
  }
  if (gradients.dv.data) {
    scatter(choice, choice.weights.data(), gradients.dout, options,
            gradients.dv);
  }
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
