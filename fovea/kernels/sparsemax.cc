#include "fovea/kernels/sparsemax.h"

#include <algorithm>
#include <limits>

// Highway compiles the part below once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/sparsemax.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "fovea/kernels/loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr float kMasked = -std::numeric_limits<float>::infinity();

struct TwoSums {
  float first, second;
};

// Adds up what term(x, a, b) adds to a and to b.
template <class Term>
HWY_INLINE TwoSums two_sums(const float* x, size_t count, const Term& term) {
  FloatVec a = hn::Zero(kFloats), b = a;
  for_vectors(
      count, [&](size_t i) HWY_ATTR { term(hn::LoadU(kFloats, x + i), a, b); },
      [&](size_t i, size_t n) HWY_ATTR {
        const FloatVec v = load_first(x + i, n);
        const FloatVec masked = hn::Set(kFloats, kMasked);
        term(hn::IfThenElse(hn::FirstN(kFloats, n), v, masked), a, b);
      });
  return {sum_of_lanes(a), sum_of_lanes(b)};
}

// The t of z = x - largest. The sum of max(0, z - t) falls with t and is
// convex, so Newton's steps from below, where it is at least 1, never go too
// far: entries leave the support and none comes back. The last step is exact.
HWY_INLINE float sparsemax_threshold(const float* x, size_t count,
                                     float largest) {
  const FloatVec top = hn::Set(kFloats, largest);
  float t = -1.0f, before = std::numeric_limits<float>::infinity();
  while (true) {
    const FloatVec low = hn::Set(kFloats, t), one = hn::Set(kFloats, 1.0f);
    const TwoSums support = two_sums(
        x, count, [=](FloatVec v, FloatVec& sum, FloatVec& size) HWY_ATTR {
          const FloatVec z = hn::Sub(v, top);
          const auto above = hn::Gt(z, low);
          sum = hn::Add(sum, hn::IfThenElseZero(above, z));
          size = hn::Add(size, hn::IfThenElseZero(above, one));
        });
    if (!(support.second < before)) return t;
    before = support.second;
    t = (support.first - 1.0f) / support.second;
  }
}

// The t of z = (x - largest) / 2, by Newton's steps as above; they converge
// quadratically.
HWY_INLINE float entmax15_threshold(const float* x, size_t count,
                                    float largest) {
  constexpr int kMostSteps = 60;  // about ten are needed
  constexpr float kEnough = 3e-8f;
  const FloatVec top = hn::Set(kFloats, largest);
  const FloatVec half = hn::Set(kFloats, 0.5f);
  float t = -1.0f;
  for (int step = 0; step < kMostSteps; ++step) {
    const FloatVec low = hn::Set(kFloats, t);
    const TwoSums sums = two_sums(
        x, count, [=](FloatVec v, FloatVec& sum, FloatVec& squares) HWY_ATTR {
          const FloatVec z = hn::Mul(hn::Sub(v, top), half);
          const FloatVec p = hn::ZeroIfNegative(hn::Sub(z, low));
          sum = hn::Add(sum, p);
          squares = hn::MulAdd(p, p, squares);
        });
    const float move = (sums.second - 1.0f) / (2.0f * sums.first);
    t += move;
    if (!(move > kEnough)) break;
  }
  return t;
}

void SparsemaxRow(const float* x, size_t count, float* y) {
  const float largest = max_over(x, count);
  if (largest == kMasked) return void(std::fill_n(y, count, 0.0f));
  const float t = sparsemax_threshold(x, count, largest);
  const FloatVec top = hn::Set(kFloats, largest), low = hn::Set(kFloats, t);
  map(
      count, y,
      [=](FloatVec v) HWY_ATTR {
        return hn::ZeroIfNegative(hn::Sub(hn::Sub(v, top), low));
      },
      x);
}

void Entmax15Row(const float* x, size_t count, float* y) {
  const float largest = max_over(x, count);
  if (largest == kMasked) return void(std::fill_n(y, count, 0.0f));
  const float t = entmax15_threshold(x, count, largest);
  const FloatVec top = hn::Set(kFloats, largest), low = hn::Set(kFloats, t);
  const FloatVec half = hn::Set(kFloats, 0.5f);
  map(
      count, y,
      [=](FloatVec v) HWY_ATTR {
        const FloatVec z = hn::Mul(hn::Sub(v, top), half);
        const FloatVec p = hn::ZeroIfNegative(hn::Sub(z, low));
        return hn::Mul(p, p);
      },
      x);
}

// Both have the Jacobian diag(g) - g g^T / sum(g): g is 1 on the support of
// sparsemax, sqrt(y) for entmax-1.5.
template <class Slope>
HWY_INLINE void backward_row(const float* y, const float* dy, size_t count,
                             float* dx, bool accumulate, const Slope& slope) {
  const float sum = sum_over(
      count, [=](FloatVec v) HWY_ATTR { return slope(v); }, y);
  const float dot = sum_over(
      count,
      [=](FloatVec v, FloatVec dv) HWY_ATTR { return hn::Mul(slope(v), dv); },
      y, dy);
  const FloatVec mean = hn::Set(kFloats, sum > 0 ? dot / sum : 0.0f);
  map_into(
      accumulate, count, dx,
      [=](FloatVec v, FloatVec dv)
          HWY_ATTR { return hn::Mul(slope(v), hn::Sub(dv, mean)); },
      y, dy);
}

void SparsemaxRowBackward(const float* y, const float* dy, size_t count,
                          float* dx, bool accumulate) {
  backward_row(y, dy, count, dx, accumulate, [](FloatVec v) HWY_ATTR {
    const FloatVec one = hn::Set(kFloats, 1.0f);
    return hn::IfThenElseZero(hn::Gt(v, hn::Zero(kFloats)), one);
  });
}

void Entmax15RowBackward(const float* y, const float* dy, size_t count,
                         float* dx, bool accumulate) {
  backward_row(y, dy, count, dx, accumulate,
               [](FloatVec v) HWY_ATTR { return hn::Sqrt(v); });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fovea::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
namespace {

HWY_EXPORT(SparsemaxRow);
HWY_EXPORT(Entmax15Row);
HWY_EXPORT(SparsemaxRowBackward);
HWY_EXPORT(Entmax15RowBackward);

}  // namespace

void sparsemax(const float* x, const RaggedRows& rows, float* y) {
  for_rows(rows, [&](int64_t at, int64_t count) {
    HWY_DYNAMIC_DISPATCH(SparsemaxRow)(x + at, count, y + at);
  });
}

void entmax15(const float* x, const RaggedRows& rows, float* y) {
  for_rows(rows, [&](int64_t at, int64_t count) {
    HWY_DYNAMIC_DISPATCH(Entmax15Row)(x + at, count, y + at);
  });
}

void sparsemax_backward(const float* y, const float* dy, const RaggedRows& rows,
                        float* dx, bool accumulate) {
  for_rows(rows, [&](int64_t at, int64_t count) {
    HWY_DYNAMIC_DISPATCH(SparsemaxRowBackward)
    (y + at, dy + at, count, dx + at, accumulate);
  });
}

void entmax15_backward(const float* y, const float* dy, const RaggedRows& rows,
                       float* dx, bool accumulate) {
  for_rows(rows, [&](int64_t at, int64_t count) {
    HWY_DYNAMIC_DISPATCH(Entmax15RowBackward)
    (y + at, dy + at, count, dx + at, accumulate);
  });
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
