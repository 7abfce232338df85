#include "fovea/kernels/pairs.h"

#include <algorithm>
#include <cassert>

#include "fovea/kernels/pair_tiles.h"

// Highway compiles the part below once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/pairs.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "fovea/kernels/loop-inl.h"
#include "fovea/kernels/pair_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

struct Product {
  HWY_INLINE FloatVec operator()(FloatVec a, FloatVec b, FloatVec sum) const {
    return hn::MulAdd(a, b, sum);
  }
};

struct SquaredDifference {
  HWY_INLINE FloatVec operator()(FloatVec a, FloatVec b, FloatVec sum) const {
    const FloatVec x = hn::Sub(a, b);
    return hn::MulAdd(x, x, sum);
  }
};

template <int kRows>
using Sums = FloatVec[kRows][kKeys];

template <bool kWhole, class Step, int kRows>
HWY_INLINE void add_steps(const float* const (&a)[kRows],
                          const float* const (&b)[kKeys], size_t i,
                          size_t count, Sums<kRows>& sums) {
  FloatVec rows[kRows];
  HWY_UNROLL(3)
  for (int r = 0; r < kRows; ++r) rows[r] = load_some<kWhole>(a[r] + i, count);
  HWY_UNROLL(4)
  for (int j = 0; j < kKeys; ++j) {
    const FloatVec key = load_some<kWhole>(b[j] + i, count);
    HWY_UNROLL(3)
    for (int r = 0; r < kRows; ++r) {
      sums[r][j] = Step()(rows[r], key, sums[r][j]);
    }
  }
}

// What the lanes of kRows terms and four keys add up to.
template <class Step, int kRows>
HWY_INLINE void score_tile(const float* const (&a)[kRows],
                           const float* const (&b)[kKeys], size_t d,
                           Sums<kRows>& sums) {
  HWY_UNROLL(3)
  for (int r = 0; r < kRows; ++r) {
    HWY_UNROLL(4)
    for (int j = 0; j < kKeys; ++j) sums[r][j] = hn::Zero(kFloats);
  }
  const size_t lanes = hn::Lanes(kFloats);
  size_t i = 0;
  for (; i + lanes <= d; i += lanes) {
    add_steps<true, Step, kRows>(a, b, i, lanes, sums);
  }
  if (i < d) add_steps<false, Step, kRows>(a, b, i, d - i, sums);
}

template <bool kAdd>
HWY_INLINE void put_scores(hn::Vec<Four> v, int count, float* s) {
  HWY_ALIGN float lanes[kKeys] = {};
  if (count == kKeys) {
    if constexpr (kAdd) v = hn::Add(hn::LoadU(kFour, s), v);
    return hn::StoreU(v, kFour, s);
  }
  hn::Store(v, kFour, lanes);
  for (int j = 0; j < count; ++j) s[j] = kAdd ? s[j] + lanes[j] : lanes[j];
}

template <class Step, bool kAdd, int kRows>
HWY_INLINE void score_keys(const PairPart& part, const PairTerm* terms,
                           const float* queries, ConstMatrixView b, int begin,
                           int end, float* s) {
  const auto scale = hn::Set(kFour, part.scale);
  const float* a[kRows];
  for (int r = 0; r < kRows; ++r) a[r] = queries + terms[r].row;
  for (int x = begin; x < end; x += kKeys) {
    const float* keys[kKeys];
    rows_of_keys(b, x, end, keys);
    Sums<kRows> sums;
    score_tile<Step, kRows>(a, keys, part.d, sums);
    for (int r = 0; r < kRows; ++r) {
      put_scores<kAdd>(hn::Mul(scale, lane_sums(sums[r])),
                       std::min(kKeys, end - x), s + terms[r].first + x);
    }
  }
}

template <class Step, bool kAdd>
HWY_INLINE void score(const PairPart& part, const float* queries,
                      ConstMatrixView b, float* s) {
  for_pair_tiles(part.terms, part.begin, part.end,
                 [&](const PairTerm* terms, int count, int begin, int end)
                     HWY_ATTR {
                       with_pair_count(count, [&](auto rows) HWY_ATTR {
                         score_keys<Step, kAdd, rows()>(part, terms, queries, b,
                                                        begin, end, s);
                       });
                     });
}

void Dot(const PairPart& part, const float* a, ConstMatrixView b,
         bool accumulate, float* s) {
  if (accumulate) return score<Product, true>(part, a, b, s);
  score<Product, false>(part, a, b, s);
}

void Distance(const PairPart& part, const float* a, ConstMatrixView b,
              float* s) {
  score<SquaredDifference, false>(part, a, b, s);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fovea::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
namespace {

HWY_EXPORT(Dot);
HWY_EXPORT(Distance);

}  // namespace

void pair_dot(ConstMatrixView a, ConstMatrixView b, const PairLayout& pairs,
              float scale, bool accumulate, float* s) {
  assert(a.cols / pairs.heads == b.cols / pairs.key_heads);
  for_pair_parts(pairs, b, a.stride, scale,
                 [&](const PairPart& part, ConstMatrixView keys) {
                   HWY_DYNAMIC_DISPATCH(Dot)(part, a.data, keys, accumulate, s);
                 });
}

void pair_distance(ConstMatrixView a, ConstMatrixView b,
                   const PairLayout& pairs, float* s) {
  assert(a.cols / pairs.heads == b.cols / pairs.key_heads);
  for_pair_parts(pairs, b, a.stride, 1.0f,
                 [&](const PairPart& part, ConstMatrixView keys) {
                   HWY_DYNAMIC_DISPATCH(Distance)(part, a.data, keys, s);
                 });
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
