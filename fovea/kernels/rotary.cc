#include "fovea/kernels/rotary.h"

#include <algorithm>
#include <cassert>

#include "fovea/base/parallel.h"

// Highway compiles the part below once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/rotary.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "fovea/kernels/loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

HWY_INLINE FloatVec turned(FloatVec x, FloatVec partner, FloatVec cos,
                           FloatVec sin) {
  return hn::MulAdd(x, cos, hn::Mul(partner, sin));
}

// y = x cos + partner sin, where `sign` is -1 to turn back.
HWY_INLINE void turn_part(const float* x, const float* partner,
                          const float* cos, const float* sin, float sign,
                          bool accumulate, size_t count, float* y) {
  const FloatVec s = hn::Set(kFloats, sign);
  map_into(
      accumulate, count, y,
      [=](FloatVec a, FloatVec b, FloatVec c, FloatVec d)
          HWY_ATTR { return turned(a, b, c, hn::Mul(s, d)); },
      x, partner, cos, sin);
}

HWY_INLINE void turn_adjacent(const float* x, const float* cos,
                              const float* sin, float sign, bool accumulate,
                              size_t count, float* y) {
  const FloatVec s = hn::Set(kFloats, sign);
  map_into(
      accumulate, count, y,
      [=](FloatVec a, FloatVec c, FloatVec d)
          HWY_ATTR { return turned(a, hn::Shuffle2301(a), c, hn::Mul(s, d)); },
      x, cos, sin);
}

HWY_INLINE void turn_row(const float* x, const Rotation& r, int64_t row,
                         bool accumulate, size_t size, float* y) {
  const auto width = static_cast<size_t>(r.width);
  const float* cos = r.cos + row * r.width;
  const float* sin = r.sin + row * r.width;
  const float sign = r.back ? -1.0f : 1.0f;
  for (int h = 0; h < r.heads; ++h, x += size, y += size) {
    if (r.adjacent) {
      turn_adjacent(x, cos, sin, sign, accumulate, width, y);
    } else {
      const size_t half = width / 2;
      turn_part(x, x + half, cos, sin, sign, accumulate, half, y);
      turn_part(x + half, x, cos + half, sin + half, sign, accumulate, half,
                y + half);
    }
    map_into(
        accumulate, size - width, y + width,
        [](FloatVec v) HWY_ATTR { return v; }, x + width);
  }
}

void Rotate(ConstMatrixView x, const Rotation& rotation, bool accumulate,
            MatrixView y) {
  const auto size = static_cast<size_t>(x.cols / rotation.heads);
  for (int64_t i = 0; i < x.rows; ++i) {
    turn_row(x.row(i), rotation, rotation.table_row[i], accumulate, size,
             y.row(i));
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace fovea::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {

HWY_EXPORT(Rotate);

void rotate(ConstMatrixView x, const Rotation& rotation, bool accumulate,
            MatrixView y) {
  assert(x.rows == y.rows && x.cols == y.cols);
  assert(std::ssize(rotation.table_row) == x.rows);
  if (x.cols == 0) return;
  const int64_t grain = std::max<int64_t>(1, 8192 / x.cols);
  parallel_for(x.rows, grain, [&](int64_t begin, int64_t end) {
    Rotation part = rotation;
    part.table_row = rotation.table_row.subspan(begin, end - begin);
    HWY_DYNAMIC_DISPATCH(Rotate)
    (x.row_range(begin, end), part, accumulate, y.row_range(begin, end));
  });
}

}  // namespace fovea::kernels
#endif
