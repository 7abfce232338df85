// The random bits of base/rng.h in SIMD lanes, and the dropout law, for the
// part of a kernel that Highway compiles once for each instruction set.

// Highway's include guard: once for each instruction set.
#if defined(FOVEA_KERNELS_RANDOM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_KERNELS_RANDOM_INL_H_
#undef FOVEA_KERNELS_RANDOM_INL_H_
#else
#define FOVEA_KERNELS_RANDOM_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>

#include "fovea/base/rng.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels {
namespace HWY_NAMESPACE {

// random_bits(key, index + i) in lane i, bit for bit the scalar function. `du`
// is a tag for uint32_t.
template <class DU>
HWY_INLINE hwy::HWY_NAMESPACE::Vec<DU> random_bits(DU du, RandomKey key,
                                                   uint32_t index) {
  namespace hn = hwy::HWY_NAMESPACE;
  // Iota of a variable goes lane by lane through memory in Highway 1.0.
  auto x = hn::Add(hn::Iota(du, 0u), hn::Set(du, index + key.low()));
  x = hn::Mul(hn::Xor(x, hn::ShiftRight<17>(x)), hn::Set(du, 0xed5ad4bbu));
  x = hn::Add(hn::Xor(x, hn::ShiftRight<11>(x)), hn::Set(du, key.high()));
  x = hn::Mul(x, hn::Set(du, 0xac4c1b51u));
  x = hn::Mul(hn::Xor(x, hn::ShiftRight<15>(x)), hn::Set(du, 0x31848babu));
  return hn::Xor(x, hn::ShiftRight<14>(x));
}

// Inverted dropout. Element i is kept iff random_bits(key, i) >= rate * 2^32,
// and then scaled by 1 / (1 - rate). 0 <= rate < 1.
class Dropper {
 public:
  Dropper(float rate, RandomKey key)
      : key_(key),
        threshold_(static_cast<uint32_t>(rate * 4294967296.0f)),
        scale_(1.0f / (1.0f - rate)) {}

  // v holds the elements from `index` on.
  template <class D>
  HWY_INLINE hwy::HWY_NAMESPACE::Vec<D> operator()(D d,
                                                   hwy::HWY_NAMESPACE::Vec<D> v,
                                                   uint32_t index) const {
    namespace hn = hwy::HWY_NAMESPACE;
    const hn::RebindToUnsigned<D> du;
    const auto bits = random_bits(du, key_, index);
    const auto least = hn::Set(du, threshold_);
    // bits >= least without the sign flips of an unsigned comparison
    const auto kept = hn::Eq(hn::Max(bits, least), bits);
    return hn::IfThenElseZero(hn::RebindMask(d, kept),
                              hn::Mul(v, hn::Set(d, scale_)));
  }

 private:
  RandomKey key_;
  uint32_t threshold_;
  float scale_;
};

}  // namespace HWY_NAMESPACE
}  // namespace fovea::kernels
HWY_AFTER_NAMESPACE();

#endif  // FOVEA_KERNELS_RANDOM_INL_H_
