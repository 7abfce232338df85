#include "fovea/kernels/softmax.h"

#include <algorithm>
#include <cmath>
#include <limits>

// Highway compiles the part below once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/softmax.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "fovea/kernels/loop-inl.h"
#include "fovea/kernels/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr float kMasked = -std::numeric_limits<float>::infinity();

// y = exp(x - shift); returns the sum.
HWY_INLINE float exp_row(const float* x, size_t count, float shift, float* y) {
  const FloatVec m = hn::Set(kFloats, shift);
  FloatVec sum = hn::Zero(kFloats);
  for_vectors(
      count,
      [&](size_t i) {
        const FloatVec e = exp(kFloats, hn::Sub(hn::LoadU(kFloats, x + i), m));
        sum = hn::Add(sum, e);
        hn::StoreU(e, kFloats, y + i);
      },
      [&](size_t i, size_t n) {
        const FloatVec e = exp(kFloats, hn::Sub(load_first(x + i, n), m));
        sum = hn::Add(sum, hn::IfThenElseZero(hn::FirstN(kFloats, n), e));
        store_first(e, y + i, n);
      });
  return sum_of_lanes(sum);
}

// The sum of exp(x - shift).
HWY_INLINE float exp_sum(const float* x, size_t count, float shift) {
  const FloatVec m = hn::Set(kFloats, shift);
  FloatVec sum = hn::Zero(kFloats);
  for_vectors(
      count,
      [&](size_t i) {
        sum = hn::Add(sum, exp(kFloats, hn::Sub(hn::LoadU(kFloats, x + i), m)));
      },
      [&](size_t i, size_t n) {
        const FloatVec e = exp(kFloats, hn::Sub(load_first(x + i, n), m));
        sum = hn::Add(sum, hn::IfThenElseZero(hn::FirstN(kFloats, n), e));
      });
  return sum_of_lanes(sum);
}

void SoftmaxRow(const float* x, size_t count, float* y) {
  const float largest = max_over(x, count);
  if (largest == kMasked) {
    std::fill_n(y, count, 0.0f);
    return;
  }
  const float sum = exp_row(x, count, largest, y);
  const FloatVec scale = hn::Set(kFloats, 1.0f / sum);
  map(
      count, y, [=](FloatVec v) { return hn::Mul(v, scale); },
      static_cast<const float*>(y));
}

void LogSoftmaxRow(const float* x, size_t count, float* y) {
  const float largest = max_over(x, count);
  if (largest == kMasked) {
    std::fill_n(y, count, kMasked);
    return;
  }
  // Two steps: x - largest is exact where it matters, among the large ones.
  const FloatVec m = hn::Set(kFloats, largest);
  const FloatVec log_sum =
      hn::Set(kFloats, std::log(exp_sum(x, count, largest)));
  map(
      count, y, [=](FloatVec v) { return hn::Sub(hn::Sub(v, m), log_sum); }, x);
}

float LogSumExpRow(const float* x, size_t count) {
  const float largest = max_over(x, count);
  if (largest == kMasked) return kMasked;
  return largest + std::log(exp_sum(x, count, largest));
}

void SoftmaxRowBackward(const float* y, const float* dy, size_t count,
                        float* dx, bool accumulate) {
  const float dot = sum_over(
      count, [](FloatVec a, FloatVec b) { return hn::Mul(a, b); }, y, dy);
  const FloatVec mean = hn::Set(kFloats, dot);
  map_into(
      accumulate, count, dx,
      [=](FloatVec v, FloatVec dv) { return hn::Mul(v, hn::Sub(dv, mean)); }, y,
      dy);
}

void LogSoftmaxRowBackward(const float* y, const float* dy, size_t count,
                           float* dx, bool accumulate) {
  // Masked entries do not depend on anything.
  const FloatVec masked = hn::Set(kFloats, kMasked);
  const auto of_real = [=](FloatVec v, FloatVec dv) {
    return hn::IfThenElseZero(hn::Gt(v, masked), dv);
  };
  const FloatVec total = hn::Set(kFloats, sum_over(count, of_real, y, dy));
  map_into(
      accumulate, count, dx,
      [=](FloatVec v, FloatVec dv) {
        return hn::NegMulAdd(exp(kFloats, v), total, of_real(v, dv));
      },
      y, dy);
}

}  // namespace HWY_NAMESPACE
}  // namespace fovea::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
namespace {

HWY_EXPORT(SoftmaxRow);
HWY_EXPORT(LogSoftmaxRow);
HWY_EXPORT(LogSumExpRow);
HWY_EXPORT(SoftmaxRowBackward);
HWY_EXPORT(LogSoftmaxRowBackward);

}  // namespace

void softmax(const float* x, const RaggedRows& rows, float* y) {
  for_rows(rows, [&](int64_t at, int64_t count) {
    HWY_DYNAMIC_DISPATCH(SoftmaxRow)(x + at, count, y + at);
  });
}

void log_softmax(const float* x, const RaggedRows& rows, float* y) {
  for_rows(rows, [&](int64_t at, int64_t count) {
    HWY_DYNAMIC_DISPATCH(LogSoftmaxRow)(x + at, count, y + at);
  });
}

void log_sum_exp(const float* x, const RaggedRows& rows, std::span<float> y) {
  parallel_for(rows.count(), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      y[i] = HWY_DYNAMIC_DISPATCH(LogSumExpRow)(x + rows.offset(i),
                                                rows.length(i));
    }
  });
}

void softmax_backward(const float* y, const float* dy, const RaggedRows& rows,
                      float* dx, bool accumulate) {
  for_rows(rows, [&](int64_t at, int64_t count) {
    HWY_DYNAMIC_DISPATCH(SoftmaxRowBackward)
    (y + at, dy + at, count, dx + at, accumulate);
  });
}

void log_softmax_backward(const float* y, const float* dy,
                          const RaggedRows& rows, float* dx, bool accumulate) {
  for_rows(rows, [&](int64_t at, int64_t count) {
    HWY_DYNAMIC_DISPATCH(LogSoftmaxRowBackward)
    (y + at, dy + at, count, dx + at, accumulate);
  });
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
