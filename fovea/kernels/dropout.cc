#include "fovea/kernels/dropout.h"

#include <cassert>
#include <limits>

#include "fovea/base/parallel.h"

// Highway compiles the part below once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/dropout.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "fovea/kernels/loop-inl.h"
#include "fovea/kernels/random-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

void DropoutPart(const float* x, const Dropout& drop, size_t begin, size_t end,
                 float* y, bool accumulate) {
  const Dropper dropper(drop.rate, drop.key);
  const auto kept = [&](size_t i, FloatVec v) {
    return dropper(kFloats, v, static_cast<uint32_t>(begin + i));
  };
  x += begin;
  y += begin;
  if (accumulate) {
    map_indexed(
        end - begin, y,
        [&](size_t i, FloatVec old, FloatVec v) {
          return hn::Add(old, kept(i, v));
        },
        static_cast<const float*>(y), x);
  } else {
    map_indexed(end - begin, y, kept, x);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace fovea::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
namespace {

HWY_EXPORT(DropoutPart);

}  // namespace

void dropout(std::span<const float> x, const Dropout& drop, std::span<float> y,
             bool accumulate) {
  assert(x.size() == y.size());
  assert(drop.rate >= 0.0f && drop.rate < 1.0f);
  assert(x.size() <= size_t{1} << 32);
  parallel_for(x.size(), 1 << 14, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(DropoutPart)
    (x.data(), drop, begin, end, y.data(), accumulate);
  });
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
