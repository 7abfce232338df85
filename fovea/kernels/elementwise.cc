#include "fovea/kernels/elementwise.h"

#include <cassert>

#include "fovea/base/parallel.h"

// Highway compiles the part below once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/elementwise.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<float>;
constexpr D d;

// z[i] = fn(x[i], y[i], z[i]) for all i; the tail goes through the same code.
template <class Fn>
void map3(const float* x, const float* y, float* z, size_t count, Fn fn) {
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    hn::StoreU(
        fn(hn::LoadU(d, x + i), hn::LoadU(d, y + i), hn::LoadU(d, z + i)), d,
        z + i);
  }
  if (i < count) {
    const auto in = hn::FirstN(d, count - i);
    hn::BlendedStore(
        fn(hn::MaskedLoad(in, d, x + i), hn::MaskedLoad(in, d, y + i),
           hn::MaskedLoad(in, d, z + i)),
        in, d, z + i);
  }
}

void AddScaled(float a, const float* x, float* y, size_t count) {
  const auto factor = hn::Set(d, a);
  map3(x, x, y, count,
       [=](auto vx, auto, auto vy) { return hn::MulAdd(factor, vx, vy); });
}

void Add(const float* x, float* y, size_t count) {
  map3(x, x, y, count, [](auto vx, auto, auto vy) { return hn::Add(vx, vy); });
}

void Mul(const float* x, const float* y, float* z, size_t count) {
  map3(x, y, z, count, [](auto vx, auto vy, auto) { return hn::Mul(vx, vy); });
}

void MulAdd(const float* x, const float* y, float* z, size_t count) {
  map3(x, y, z, count,
       [](auto vx, auto vy, auto vz) { return hn::MulAdd(vx, vy, vz); });
}

}  // namespace HWY_NAMESPACE
}  // namespace fovea::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
namespace {

constexpr int64_t kGrain = 1 << 15;  // elements that are worth a thread

HWY_EXPORT(Add);
HWY_EXPORT(AddScaled);
HWY_EXPORT(Mul);
HWY_EXPORT(MulAdd);

}  // namespace

void add(std::span<const float> x, std::span<float> y) {
  assert(x.size() == y.size());
  parallel_for(x.size(), kGrain, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(Add)(&x[begin], &y[begin], end - begin);
  });
}

void add_scaled(float a, std::span<const float> x, std::span<float> y) {
  assert(x.size() == y.size());
  parallel_for(x.size(), kGrain, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(AddScaled)(a, &x[begin], &y[begin], end - begin);
  });
}

void mul(std::span<const float> x, std::span<const float> y,
         std::span<float> z) {
  assert(x.size() == y.size() && x.size() == z.size());
  parallel_for(x.size(), kGrain, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(Mul)(&x[begin], &y[begin], &z[begin], end - begin);
  });
}

void mul_add(std::span<const float> x, std::span<const float> y,
             std::span<float> z) {
  assert(x.size() == y.size() && x.size() == z.size());
  parallel_for(x.size(), kGrain, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(MulAdd)(&x[begin], &y[begin], &z[begin], end - begin);
  });
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
