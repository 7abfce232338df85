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

// 1 - y^2, where y is a tanh that may exceed 1 a little.
HWY_INLINE FloatVec slope_of(FloatVec y) {
  const FloatVec one = hn::Set(kFloats, 1.0f);
  return hn::Max(hn::Zero(kFloats), hn::NegMulAdd(y, y, one));
}

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
    FloatVec y = coarse_tanh(kFloats, x);
    if constexpr (kSum == Sum::kCoverageSlope) y = slope_of(y);
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

// A term, up to four of its keys, and where their gradients go: rows of d
// columns, or nothing.
struct Step {
  Columns of;
  int keys;
  const float* k[kKeys];
  float* dk[kKeys];
  FloatVec slope[kKeys], coverage[kKeys];
  float *dq, *dv, *dw;
};

// The gradients of `count` columns from i on.
template <bool kCovered, bool kWhole>
HWY_INLINE void add_gradients(const Step& step, size_t i, size_t count) {
  const FloatVec q = load_some<kWhole>(step.of.q + i, count);
  const FloatVec v = load_some<kWhole>(step.of.v + i, count);
  FloatVec w = v;
  if constexpr (kCovered) w = load_some<kWhole>(step.of.w + i, count);
  FloatVec dq = hn::Zero(kFloats), dv = dq, dw = dq;
  for (int j = 0; j < step.keys; ++j) {
    FloatVec x = hn::Add(q, load_some<kWhole>(step.k[j] + i, count));
    if constexpr (kCovered) x = hn::MulAdd(step.coverage[j], w, x);
    const FloatVec y = coarse_tanh(kFloats, x);
    const FloatVec dx = hn::Mul(hn::Mul(step.slope[j], v), slope_of(y));
    dq = hn::Add(dq, dx);
    dv = hn::MulAdd(step.slope[j], y, dv);
    if constexpr (kCovered) dw = hn::MulAdd(step.coverage[j], dx, dw);
    if (step.dk[0]) add_to<kWhole>(step.dk[j] + i, dx, count);
  }
  if (step.dq) add_to<kWhole>(step.dq + i, dq, count);
  if (step.dv) add_to<kWhole>(step.dv + i, dv, count);
  if (kCovered && step.dw) add_to<kWhole>(step.dw + i, dw, count);
}

HWY_INLINE Step step_of(const AdditiveInputs& in, const PairTerm& term, int x,
                        const float* ds, const AdditiveGradients& to,
                        int64_t d) {
  const int64_t at = term.head * d;
  Step step;
  step.of = columns_of(in, term, d);
  step.keys = std::min(kKeys, term.end - x);
  for (int j = 0; j < step.keys; ++j) {
    const int64_t n = term.first + x + j;
    step.k[j] = in.k.row(x + j);
    step.dk[j] = to.dk.data ? to.dk.row(x + j) : nullptr;
    step.slope[j] = hn::Set(kFloats, ds[n]);
    if (in.coverage) step.coverage[j] = hn::Set(kFloats, in.coverage[n]);
  }
  step.dq = to.dq.data ? to.dq.row(term.m) + at : nullptr;
  step.dv = to.dv.empty() ? nullptr : to.dv.data() + at;
  step.dw =
      to.dcoverage_weight.empty() ? nullptr : to.dcoverage_weight.data() + at;
  return step;
}

template <bool kCovered>
HWY_INLINE void gradients_of_columns(const AdditiveInputs& in,
                                     const PairPart& part, const float* ds,
                                     const AdditiveGradients& to, int64_t begin,
                                     int64_t end) {
  const int64_t lanes = hn::Lanes(kFloats);
  for (int64_t t = part.begin; t < part.end; ++t) {
    const PairTerm term = part.terms[t];
    for (int x = term.key; x < term.end; x += kKeys) {
      const Step step = step_of(in, term, x, ds, to, part.d);
      int64_t i = begin;
      for (; i + lanes <= end; i += lanes) {
        add_gradients<kCovered, true>(step, i, lanes);
      }
      if (i < end) add_gradients<kCovered, false>(step, i, end - i);
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

// Columns of a key head.
struct HeadColumns {
  int head;
  int64_t begin, end;
};

// From all terms of the key head.
void gradients_of(const HeadColumns& columns, const AdditiveInputs& in,
                  const PairLayout& pairs, const float* ds,
                  const AdditiveGradients& to) {
  const int head = columns.head;
  const int64_t d = in.k.cols / pairs.key_heads;
  const PairTerms terms(pairs, head, d, in.q.stride);
  const PairPart part{terms, 0, terms.begin_of(in.q.rows), d, 1.0f};
  AdditiveInputs of_head = in;
  of_head.k = in.k.col_range(head * d, (head + 1) * d);
  AdditiveGradients to_head = to;
  if (to.dk.data) to_head.dk = to.dk.col_range(head * d, (head + 1) * d);
  HWY_DYNAMIC_DISPATCH(Gradients)
  (of_head, part, ds, to_head, columns.begin, columns.end);
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
  for_pair_columns(pairs, in.k.cols, kWork,
                   [&](int head, int64_t begin, int64_t end) {
                     gradients_of({head, begin, end}, in, pairs, ds, gradients);
                   });
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
