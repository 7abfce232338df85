// A loop over the elements of rows, for the part of a kernel that Highway
// compiles once for each instruction set: include it after foreach_target.h.

// Highway's include guard: once for each instruction set.
#if defined(FOVEA_KERNELS_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_KERNELS_LANES_INL_H_
#undef FOVEA_KERNELS_LANES_INL_H_
#else
#define FOVEA_KERNELS_LANES_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels {
namespace HWY_NAMESPACE {

// Calls body(d, i) for each full vector, then with vectors of one lane for what
// is left: the same code, the same bits, and never a byte beyond the end.
template <class Body>
HWY_INLINE void for_lanes(size_t count, const Body& body) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::ScalableTag<float> d;
  const hn::CappedTag<float, 1> one;
  size_t i = 0;
  for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) body(d, i);
  for (; i < count; ++i) body(one, i);
}

}  // namespace HWY_NAMESPACE
}  // namespace fovea::kernels
HWY_AFTER_NAMESPACE();

#endif  // FOVEA_KERNELS_LANES_INL_H_
