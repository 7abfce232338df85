#include "fovea/kernels/additive.h"

#include <algorithm>
#include <cassert>

#include "fovea/base/parallel.h"
#include "fovea/kernels/pair_tiles.h"

// Highway compiles the part below once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/additive.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "fovea/kernels/loop-inl.h"
#include "fovea/kernels/math-inl.h"
#include "fovea/kernels/pair_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// What a term sums over its d columns: v tanh(x), or the derivative by the
// coverage, v w (1 - tanh(x)^2).
enum class Sum { kScore, kCoverageSlope };

// The columns of one term.
struct Columns {
  const float *q, *v, *w;  // w may be missing
};

HWY_INLINE Columns columns_of(const AdditiveInputs& in, const PairTerm& term,
                              int64_t d) {
  const bool covered = in.coverage != nullptr;
  return {in.q.data + term.row, in.v.data() + term.head * d,
          covered ? in.coverage_weight.data() + term.head * d : nullptr};
}

template <Sum kSum, bool kCovered, bool kWhole>
HWY_INLINE void add_columns(const Columns& of,
                            const float* const (&keys)[kKeys],
                            const FloatVec (&coverage)[kKeys], size_t i,
                            size_t count, FloatVec (&sums)[kKeys]) {
  const FloatVec q = load_some<kWhole>(of.q + i, count);
  FloatVec v = load_some<kWhole>(of.v + i, count), w = v;
  if constexpr (kCovered) w = load_some<kWhole>(of.w + i, count);
  if constexpr (kSum == Sum::kCoverageSlope) v = hn::Mul(v, w);
  HWY_UNROLL(4)
  for (int j = 0; j < kKeys; ++j) {
    FloatVec x = hn::Add(q, load_some<kWhole>(keys[j] + i, count));
    if constexpr (kCovered) x = hn::MulAdd(coverage[j], w, x);
    FloatVec y = tanh(kFloats, x);
    if constexpr (kSum == Sum::kCoverageSlope) {
      y = hn::NegMulAdd(y, y, hn::Set(kFloats, 1.0f));
    }
    sums[j] = hn::MulAdd(v, y, sums[j]);
  }
}

// sums[j] = the sum over d of the term and the key x + j.
template <Sum kSum, bool kCovered>
HWY_INLINE void sum_columns(const AdditiveInputs& in, const PairTerm& term,
                            ConstMatrixView k, int x, float (&sums)[kKeys]) {
  const Columns of = columns_of(in, term, k.cols);
  const float* keys[kKeys];
  rows_of_keys(k, x, term.end, keys);
  FloatVec coverage[kKeys], lanes_of[kKeys];
  for (int j = 0; j < kKeys; ++j) {
    lanes_of[j] = coverage[j] = hn::Zero(kFloats);
    if (kCovered && x + j < term.end) {
      coverage[j] = hn::Set(kFloats, in.coverage[term.first + x + j]);
    }
  }
  const size_t lanes = hn::Lanes(kFloats), d = k.cols;
  size_t i = 0;
  for (; i + lanes <= d; i += lanes) {
    add_columns<kSum, kCovered, true>(of, keys, coverage, i, lanes, lanes_of);
  }
  if (i < d) {
    add_columns<kSum, kCovered, false>(of, keys, coverage, i, d - i, lanes_of);
  }
  hn::StoreU(lane_sums(lanes_of), kFour, sums);
}

// Calls put(index of the pair's number, sum) for each key of each term.
template <Sum kSum, bool kCovered, class Put>
HWY_INLINE void for_each_sum(const AdditiveInputs& in, const PairPart& part,
                             ConstMatrixView k, const Put& put) {
  for (int64_t t = part.begin; t < part.end; ++t) {
    const PairTerm term = part.terms[t];
    for (int x = term.key; x < term.end; x += kKeys) {
      float sums[kKeys];
      sum_columns<kSum, kCovered>(in, term, k, x, sums);
      for (int j = 0; j < std::min(kKeys, term.end - x); ++j) {
        put(term.first + x + j, sums[j]);
      }
    }
  }
}

void Scores(const AdditiveInputs& in, const PairPart& part, ConstMatrixView k,
            float* s) {
  const auto put = [&](int64_t n, float sum) { s[n] = sum; };
  if (in.coverage) {
    for_each_sum<Sum::kScore, true>(in, part, k, put);
  } else {
    for_each_sum<Sum::kScore, false>(in, part, k, put);
  }
}

void CoverageGradient(const AdditiveInputs& in, const PairPart& part,
                      ConstMatrixView k, const float* ds, float* dcoverage) {
  for_each_sum<Sum::kCoverageSlope, true>(
      in, part, k,
      [&](int64_t n, float slope) { dcoverage[n] += ds[n] * slope; });
}

template <bool kWhole>
HWY_INLINE void add_to(float* to, FloatVec v, size_t count) {
  store_some<kWhole>(hn::Add(load_some<kWhole>(to, count), v), to, count);
}

// The gradients of the `count` columns of a head from i on that come from one
// term. k and dk begin at the key head's columns.
template <bool kCovered, bool kWhole>
HWY_INLINE void add_gradients(const AdditiveInputs& in, const PairTerm& term,
                              const float* ds, const AdditiveGradients& to,
                              int64_t d, int64_t i, size_t count) {
  const Columns of = columns_of(in, term, d);
  const FloatVec q = load_some<kWhole>(of.q + i, count);
  const FloatVec v = load_some<kWhole>(of.v + i, count);
  FloatVec w = v;
  if constexpr (kCovered) w = load_some<kWhole>(of.w + i, count);
  const FloatVec one = hn::Set(kFloats, 1.0f);
  FloatVec dq = hn::Zero(kFloats), dv = dq, dw = dq;
  for (int x = term.key; x < term.end; ++x) {
    const FloatVec slope = hn::Set(kFloats, ds[term.first + x]);
    FloatVec c = slope;
    FloatVec sum = hn::Add(q, load_some<kWhole>(in.k.row(x) + i, count));
    if constexpr (kCovered) {
      c = hn::Set(kFloats, in.coverage[term.first + x]);
      sum = hn::MulAdd(c, w, sum);
    }
    const FloatVec y = tanh(kFloats, sum);
    const FloatVec dx = hn::Mul(hn::Mul(slope, v), hn::NegMulAdd(y, y, one));
    dq = hn::Add(dq, dx);
    dv = hn::MulAdd(slope, y, dv);
    if constexpr (kCovered) dw = hn::MulAdd(c, dx, dw);
    if (to.dk.data) add_to<kWhole>(to.dk.row(x) + i, dx, count);
  }
  const int64_t at = term.head * d + i;
  if (to.dq.data) add_to<kWhole>(to.dq.row(term.m) + at, dq, count);
  if (!to.dv.empty()) add_to<kWhole>(&to.dv[at], dv, count);
  if constexpr (kCovered) {
    if (!to.dcoverage_weight.empty()) {
      add_to<kWhole>(&to.dcoverage_weight[at], dw, count);
    }
  }
}

template <bool kCovered>
HWY_INLINE void gradients_of_columns(const AdditiveInputs& in,
                                     const PairPart& part, const float* ds,
                                     const AdditiveGradients& to, int64_t begin,
                                     int64_t end) {
  const int64_t lanes = hn::Lanes(kFloats);
  for (int64_t t = part.begin; t < part.end; ++t) {
    const PairTerm term = part.terms[t];
    if (term.key == term.end) continue;
    int64_t i = begin;
    for (; i + lanes <= end; i += lanes) {
      add_gradients<kCovered, true>(in, term, ds, to, part.d, i, lanes);
    }
    if (i < end) {
      add_gradients<kCovered, false>(in, term, ds, to, part.d, i, end - i);
    }
  }
}

// Of the columns begin to end of a key head.
void Gradients(const AdditiveInputs& in, const PairPart& part, const float* ds,
               const AdditiveGradients& to, int64_t begin, int64_t end) {
  if (in.coverage) {
    gradients_of_columns<true>(in, part, ds, to, begin, end);
  } else {
    gradients_of_columns<false>(in, part, ds, to, begin, end);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fovea::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
namespace {

constexpr int64_t kColumns = 16;    // a cache line, the least of a thread
constexpr int64_t kWork = 1 << 13;  // columns of pairs that are worth a thread

HWY_EXPORT(Scores);
HWY_EXPORT(CoverageGradient);
HWY_EXPORT(Gradients);

void check_inputs(const AdditiveInputs& in, const PairLayout& pairs) {
  assert(in.q.rows == std::ssize(pairs.rows));
  assert(in.q.cols / pairs.heads == in.k.cols / pairs.key_heads);
  assert(std::ssize(in.v) == in.q.cols);
  assert(!in.coverage || std::ssize(in.coverage_weight) == in.q.cols);
  (void)in, (void)pairs;
}

// The gradients of all terms of a key head, for some columns.
void head_gradients(const AdditiveInputs& in, const PairLayout& pairs,
                    const float* ds, const AdditiveGradients& to, int head,
                    int64_t begin, int64_t end) {
  const int64_t d = in.k.cols / pairs.key_heads;
  const PairTerms terms(pairs, head, d, in.q.stride);
  const PairPart part{terms, 0, terms.begin_of(in.q.rows), d, 1.0f};
  AdditiveInputs of_head = in;
  of_head.k = in.k.col_range(head * d, (head + 1) * d);
  AdditiveGradients to_head = to;
  if (to.dk.data) to_head.dk = to.dk.col_range(head * d, (head + 1) * d);
  HWY_DYNAMIC_DISPATCH(Gradients)(of_head, part, ds, to_head, begin, end);
}

}  // namespace

void additive_forward(const AdditiveInputs& in, const PairLayout& pairs,
                      float* s) {
  check_inputs(in, pairs);
  for_pair_parts(pairs, in.k, in.q.stride, 1.0f,
                 [&](const PairPart& part, ConstMatrixView k) {
                   HWY_DYNAMIC_DISPATCH(Scores)(in, part, k, s);
                 });
}

void additive_backward(const AdditiveInputs& in, const PairLayout& pairs,
                       const float* ds, const AdditiveGradients& gradients) {
  check_inputs(in, pairs);
  if (in.q.rows == 0) return;
  if (in.coverage && gradients.dcoverage) {
    for_pair_parts(pairs, in.k, in.q.stride, 1.0f,
                   [&](const PairPart& part, ConstMatrixView k) {
                     HWY_DYNAMIC_DISPATCH(CoverageGradient)
                     (in, part, k, ds, gradients.dcoverage);
                   });
  }
  // The other sums run over many terms: threads own columns of them.
  const int64_t d = in.k.cols / pairs.key_heads;
  const int64_t blocks = (d + kColumns - 1) / kColumns;
  const int64_t pairs_of_head =
      pairs.begin(in.q.rows - 1, pairs.heads) / pairs.key_heads;
  const int64_t grain = kWork / (pairs_of_head * std::min(d, kColumns) + 1) + 1;
  parallel_for(
      pairs.key_heads * blocks, grain, [&](int64_t first, int64_t last) {
        while (first < last) {
          const int64_t head = first / blocks;
          const int64_t end = std::min(last, (head + 1) * blocks);
          head_gradients(in, pairs, ds, gradients, static_cast<int>(head),
                         (first - head * blocks) * kColumns,
                         std::min(d, (end - head * blocks) * kColumns));
          first = end;
        }
      });
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
