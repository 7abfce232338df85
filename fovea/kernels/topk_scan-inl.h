// Finds the largest of many numbers, for the part of a kernel that Highway
// compiles once for each instruction set.

// Highway's include guard: once for each instruction set.
#if defined(FOVEA_KERNELS_TOPK_SCAN_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_KERNELS_TOPK_SCAN_INL_H_
#undef FOVEA_KERNELS_TOPK_SCAN_INL_H_
#else
#define FOVEA_KERNELS_TOPK_SCAN_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels {
namespace HWY_NAMESPACE {

// Offers those lanes of x that exceed the threshold.
template <class D, class List>
HWY_INLINE void offer_lanes(D d, hwy::HWY_NAMESPACE::Vec<D> x, int index,
                            List& best) {
  namespace hn = hwy::HWY_NAMESPACE;
  uint8_t bytes[8] = {};
  const auto above = hn::Gt(x, hn::Set(d, best.threshold()));
  hn::StoreMaskBits(d, above, bytes);
  HWY_ALIGN float lanes[HWY_MAX_BYTES / sizeof(float)];
  hn::Store(x, d, lanes);
  for (unsigned bits = bytes[0]; bits != 0; bits &= bits - 1) {
    const int lane = __builtin_ctz(bits);
    best.offer(lanes[lane], index + lane);
  }
}

// Offers x[i] + bias with the index first + i to a list: all until it is full,
// then those above its threshold. Most vectors hold nothing good enough: eight
// are refused by one comparison.
template <class D, class List>
HWY_INLINE void scan(D d, const float* x, size_t count, float bias, int first,
                     List& best) {
  namespace hn = hwy::HWY_NAMESPACE;
  const size_t lanes = hn::Lanes(d);
  const auto shift = hn::Set(d, bias);
  const auto load = [&](size_t i) HWY_ATTR {
    return hn::Add(hn::LoadU(d, x + i), shift);
  };
  size_t i = 0;
  for (; i < count && !best.full(); ++i) {
    best.offer(x[i] + bias, first + static_cast<int>(i));
  }
  for (; i + 8 * lanes <= count; i += 8 * lanes) {
    auto m0 = hn::Max(load(i), load(i + lanes));
    auto m1 = hn::Max(load(i + 2 * lanes), load(i + 3 * lanes));
    m0 = hn::Max(hn::Max(load(i + 4 * lanes), load(i + 5 * lanes)), m0);
    m1 = hn::Max(hn::Max(load(i + 6 * lanes), load(i + 7 * lanes)), m1);
    const auto above = hn::Gt(hn::Max(m0, m1), hn::Set(d, best.threshold()));
    if (hn::AllFalse(d, above)) continue;
    for (size_t j = i; j < i + 8 * lanes; j += lanes) {
      offer_lanes(d, load(j), first + static_cast<int>(j), best);
    }
  }
  for (; i < count; ++i) best.offer(x[i] + bias, first + static_cast<int>(i));
}

}  // namespace HWY_NAMESPACE
}  // namespace fovea::kernels
HWY_AFTER_NAMESPACE();

#endif  // FOVEA_KERNELS_TOPK_SCAN_INL_H_
