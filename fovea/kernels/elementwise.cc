#include "fovea/kernels/elementwise.h"

#include <algorithm>
#include <cassert>

#include "fovea/base/parallel.h"

// Highway compiles the part below once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/elementwise.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "fovea/kernels/loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

void Add(const float* x, const float* y, float* z, size_t count) {
  map(
      count, z, [](FloatVec a, FloatVec b) { return hn::Add(a, b); }, x, y);
}

void Sub(const float* x, const float* y, float* z, size_t count) {
  map(
      count, z, [](FloatVec a, FloatVec b) { return hn::Sub(a, b); }, x, y);
}

void Mul(const float* x, const float* y, float* z, size_t count) {
  map(
      count, z, [](FloatVec a, FloatVec b) { return hn::Mul(a, b); }, x, y);
}

// z = x * y + w
void MulAdd(const float* x, const float* y, const float* w, float* z,
            size_t count) {
  map(
      count, z,
      [](FloatVec a, FloatVec b, FloatVec c) { return hn::MulAdd(a, b, c); }, x,
      y, w);
}

void Scale(float a, const float* x, float* y, size_t count) {
  const FloatVec factor = hn::Set(kFloats, a);
  map(
      count, y, [=](FloatVec v) { return hn::Mul(factor, v); }, x);
}

void Shift(float a, const float* x, float* y, size_t count) {
  const FloatVec term = hn::Set(kFloats, a);
  map(
      count, y, [=](FloatVec v) { return hn::Add(term, v); }, x);
}

void AddScaled(float a, const float* x, float* y, size_t count) {
  const FloatVec factor = hn::Set(kFloats, a);
  map(
      count, y,
      [=](FloatVec v, FloatVec old) { return hn::MulAdd(factor, v, old); }, x,
      static_cast<const float*>(y));
}

}  // namespace HWY_NAMESPACE
}  // namespace fovea::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
namespace {

constexpr int64_t kGrain = 1 << 15;  // elements that are worth a thread

HWY_EXPORT(Add);
HWY_EXPORT(Sub);
HWY_EXPORT(Mul);
HWY_EXPORT(MulAdd);
HWY_EXPORT(Scale);
HWY_EXPORT(Shift);
HWY_EXPORT(AddScaled);

// Calls body(i) for every row of x and the same row of y.
template <class Body>
void for_rows(ConstMatrixView x, [[maybe_unused]] MatrixView y,
              const Body& body) {
  assert(x.rows == y.rows && x.cols == y.cols);
  const int64_t grain =
      std::max<int64_t>(1, kGrain / std::max<int64_t>(1, x.cols));
  parallel_for(x.rows, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) body(i);
  });
}

}  // namespace

void add(std::span<const float> x, std::span<float> y) { add(x, y, y); }

void add_scaled(float a, std::span<const float> x, std::span<float> y) {
  assert(x.size() == y.size());
  parallel_for(x.size(), kGrain, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(AddScaled)(a, &x[begin], &y[begin], end - begin);
  });
}

void add(std::span<const float> x, std::span<const float> y,
         std::span<float> z) {
  assert(x.size() == y.size() && x.size() == z.size());
  parallel_for(x.size(), kGrain, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(Add)(&x[begin], &y[begin], &z[begin], end - begin);
  });
}

void sub(std::span<const float> x, std::span<const float> y,
         std::span<float> z) {
  assert(x.size() == y.size() && x.size() == z.size());
  parallel_for(x.size(), kGrain, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(Sub)(&x[begin], &y[begin], &z[begin], end - begin);
  });
}

void scale(float a, std::span<const float> x, std::span<float> y) {
  assert(x.size() == y.size());
  parallel_for(x.size(), kGrain, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(Scale)(a, &x[begin], &y[begin], end - begin);
  });
}

void shift(float a, std::span<const float> x, std::span<float> y) {
  assert(x.size() == y.size());
  parallel_for(x.size(), kGrain, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(Shift)(a, &x[begin], &y[begin], end - begin);
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
    HWY_DYNAMIC_DISPATCH(MulAdd)
    (&x[begin], &y[begin], &z[begin], &z[begin], end - begin);
  });
}

void copy(ConstMatrixView x, MatrixView y) {
  for_rows(x, y, [&](int64_t i) { std::copy_n(x.row(i), x.cols, y.row(i)); });
}

void add(ConstMatrixView x, MatrixView y) {
  for_rows(x, y, [&](int64_t i) {
    HWY_DYNAMIC_DISPATCH(Add)(x.row(i), y.row(i), y.row(i), x.cols);
  });
}

void add_row(ConstMatrixView x, std::span<const float> row, MatrixView y) {
  assert(static_cast<int64_t>(row.size()) == x.cols);
  for_rows(x, y, [&](int64_t i) {
    HWY_DYNAMIC_DISPATCH(Add)(x.row(i), row.data(), y.row(i), x.cols);
  });
}

void add_column(ConstMatrixView x, std::span<const float> column,
                MatrixView y) {
  assert(static_cast<int64_t>(column.size()) == x.rows);
  for_rows(x, y, [&](int64_t i) {
    HWY_DYNAMIC_DISPATCH(Shift)(column[i], x.row(i), y.row(i), x.cols);
  });
}

void mul_row(ConstMatrixView x, std::span<const float> row, MatrixView y,
             bool accumulate) {
  assert(static_cast<int64_t>(row.size()) == x.cols);
  for_rows(x, y, [&](int64_t i) {
    if (accumulate) {
      HWY_DYNAMIC_DISPATCH(MulAdd)
      (x.row(i), row.data(), y.row(i), y.row(i), x.cols);
    } else {
      HWY_DYNAMIC_DISPATCH(Mul)(x.row(i), row.data(), y.row(i), x.cols);
    }
  });
}

void mul_column(ConstMatrixView x, std::span<const float> column, MatrixView y,
                bool accumulate) {
  assert(static_cast<int64_t>(column.size()) == x.rows);
  for_rows(x, y, [&](int64_t i) {
    if (accumulate) {
      HWY_DYNAMIC_DISPATCH(AddScaled)(column[i], x.row(i), y.row(i), x.cols);
    } else {
      HWY_DYNAMIC_DISPATCH(Scale)(column[i], x.row(i), y.row(i), x.cols);
    }
  });
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
