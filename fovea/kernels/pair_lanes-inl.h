// Four keys of a query at once, for the part of a kernel that Highway compiles
// once for each instruction set: include it after foreach_target.h.

// Highway's include guard: once for each instruction set.
#if defined(FOVEA_KERNELS_PAIR_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_KERNELS_PAIR_LANES_INL_H_
#undef FOVEA_KERNELS_PAIR_LANES_INL_H_
#else
#define FOVEA_KERNELS_PAIR_LANES_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "fovea/kernels/loop-inl.h"
#include "fovea/kernels/view.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr int kKeys = 4;

using Four = hn::CappedTag<float, kKeys>;
constexpr Four kFour;

HWY_INLINE hn::Vec<Four> sum_of_blocks(FloatVec v) {
#if HWY_TARGET == HWY_AVX3
  const hn::Half<Floats> half;
  const auto two = hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v));
  return hn::Add(hn::LowerHalf(kFour, two), hn::UpperHalf(kFour, two));
#elif HWY_TARGET == HWY_AVX2
  return hn::Add(hn::LowerHalf(kFour, v), hn::UpperHalf(kFour, v));
#else
  return v;
#endif
}

// The sums of the lanes of four vectors; that of a vector does not depend on
// the others.
HWY_INLINE hn::Vec<Four> lane_sums(const FloatVec (&v)[kKeys]) {
  const hn::Repartition<double, Floats> wide;
  const auto halves = [](FloatVec a, FloatVec b) HWY_ATTR {
    return hn::Add(hn::InterleaveLower(kFloats, a, b),
                   hn::InterleaveUpper(kFloats, a, b));
  };
  const auto x = hn::BitCast(wide, halves(v[0], v[1]));
  const auto y = hn::BitCast(wide, halves(v[2], v[3]));
  return sum_of_blocks(
      hn::Add(hn::BitCast(kFloats, hn::InterleaveLower(wide, x, y)),
              hn::BitCast(kFloats, hn::InterleaveUpper(wide, x, y))));
}

// The rows of four keys from x on. Beyond the end the last key stands in for
// those that are not there.
HWY_INLINE void rows_of_keys(ConstMatrixView b, int x, int end,
                             const float* (&rows)[kKeys]) {
  for (int j = 0; j < kKeys; ++j) rows[j] = b.row(std::min(x + j, end - 1));
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fovea::kernels
HWY_AFTER_NAMESPACE();

#endif  // FOVEA_KERNELS_PAIR_LANES_INL_H_
