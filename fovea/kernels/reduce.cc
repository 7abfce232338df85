#include "fovea/kernels/reduce.h"

#include <algorithm>
#include <cassert>
#include <limits>

#include "fovea/base/parallel.h"
#include "fovea/kernels/blocks.h"
#include "fovea/tensor/allocator.h"

// Highway compiles the part below once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/reduce.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "fovea/kernels/loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

float Sum(const float* x, size_t count) {
  return sum_over(
      count, [](FloatVec v) { return v; }, x);
}

float Dot(const float* x, const float* y, size_t count) {
  return sum_over(
      count, [](FloatVec a, FloatVec b) { return hn::Mul(a, b); }, x, y);
}

float Max(const float* x, size_t count) { return max_over(x, count); }

// out += the sum of the rows
void AddRows(ConstMatrixView x, float* out) {
  int64_t i = 0;
  for (; i + 4 <= x.rows; i += 4) {  // so that `out` is touched less often
    map(
        x.cols, out,
        [](FloatVec s, FloatVec a, FloatVec b, FloatVec c, FloatVec e) {
          return hn::Add(s, hn::Add(hn::Add(a, b), hn::Add(c, e)));
        },
        static_cast<const float*>(out), x.row(i), x.row(i + 1), x.row(i + 2),
        x.row(i + 3));
  }
  for (; i < x.rows; ++i) {
    map(
        x.cols, out, [](FloatVec s, FloatVec v) { return hn::Add(s, v); },
        static_cast<const float*>(out), x.row(i));
  }
}

void AddRowProducts(ConstMatrixView x, ConstMatrixView y, float* out) {
  for (int64_t i = 0; i < x.rows; ++i) {
    map(
        x.cols, out,
        [](FloatVec s, FloatVec a, FloatVec b) { return hn::MulAdd(a, b, s); },
        static_cast<const float*>(out), x.row(i), y.row(i));
  }
}

void MaxRows(ConstMatrixView x, float* out) {
  for (int64_t i = 0; i < x.rows; ++i) {
    map(
        x.cols, out, [](FloatVec s, FloatVec v) { return hn::Max(s, v); },
        static_cast<const float*>(out), x.row(i));
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace fovea::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
namespace {

constexpr int64_t kGrain = 1 << 15;  // elements that are worth a thread
// Elements that are summed in float; beyond, the parts are summed in double.
constexpr int64_t kPart = 1 << 12;

HWY_EXPORT(Sum);
HWY_EXPORT(Dot);
HWY_EXPORT(Max);
HWY_EXPORT(AddRows);
HWY_EXPORT(AddRowProducts);
HWY_EXPORT(MaxRows);

int64_t row_grain(int64_t cols) {
  return std::max<int64_t>(1, kGrain / std::max<int64_t>(1, cols));
}

// The sum of part_sum(begin, count) over fixed parts.
template <class PartSum>
double sum_of_parts(int64_t count, const PartSum& part_sum) {
  const int64_t parts = (count + kPart - 1) / kPart;
  Scratch<double> sums(parts);
  parallel_for(parts, kGrain / kPart, [&](int64_t first, int64_t last) {
    for (int64_t p = first; p < last; ++p) {
      sums[p] = part_sum(p * kPart, std::min(kPart, count - p * kPart));
    }
  });
  double total = 0.0;
  for (double part : sums) total += part;
  return total;
}

void put(float value, float& out, bool accumulate) {
  out = accumulate ? out + value : value;
}

}  // namespace

double sum(std::span<const float> x) {
  return sum_of_parts(x.size(), [&](int64_t begin, int64_t count) {
    return HWY_DYNAMIC_DISPATCH(Sum)(&x[begin], count);
  });
}

double sum_of_squares(std::span<const float> x) { return dot(x, x); }

double dot(std::span<const float> x, std::span<const float> y) {
  assert(x.size() == y.size());
  return sum_of_parts(x.size(), [&](int64_t begin, int64_t count) {
    return HWY_DYNAMIC_DISPATCH(Dot)(&x[begin], &y[begin], count);
  });
}

float max(std::span<const float> x) {
  return HWY_DYNAMIC_DISPATCH(Max)(x.data(), x.size());
}

void row_sums(ConstMatrixView x, std::span<float> out, bool accumulate) {
  assert(static_cast<int64_t>(out.size()) == x.rows);
  parallel_for(x.rows, row_grain(x.cols), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      put(HWY_DYNAMIC_DISPATCH(Sum)(x.row(i), x.cols), out[i], accumulate);
    }
  });
}

void row_max(ConstMatrixView x, std::span<float> out) {
  assert(static_cast<int64_t>(out.size()) == x.rows);
  parallel_for(x.rows, row_grain(x.cols), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      out[i] = HWY_DYNAMIC_DISPATCH(Max)(x.row(i), x.cols);
    }
  });
}

void row_dots(ConstMatrixView x, ConstMatrixView y, std::span<float> out,
              bool accumulate) {
  assert(static_cast<int64_t>(out.size()) == x.rows);
  assert(x.rows == y.rows && x.cols == y.cols);
  parallel_for(x.rows, row_grain(x.cols), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      put(HWY_DYNAMIC_DISPATCH(Dot)(x.row(i), y.row(i), x.cols), out[i],
          accumulate);
    }
  });
}

void column_sums(ConstMatrixView x, std::span<float> out, bool accumulate) {
  assert(static_cast<int64_t>(out.size()) == x.cols);
  if (!accumulate) std::ranges::fill(out, 0.0f);
  sum_by_blocks(
      x.rows, x.cols, 0.0f,
      [&](int64_t begin, int64_t end, float* sums) {
        HWY_DYNAMIC_DISPATCH(AddRows)(x.row_range(begin, end), sums);
      },
      [&](const float* sums) {
        HWY_DYNAMIC_DISPATCH(AddRows)({sums, 1, x.cols}, out.data());
      });
}

void column_max(ConstMatrixView x, std::span<float> out) {
  assert(static_cast<int64_t>(out.size()) == x.cols);
  constexpr float kLowest = -std::numeric_limits<float>::infinity();
  std::ranges::fill(out, kLowest);
  sum_by_blocks(
      x.rows, x.cols, kLowest,
      [&](int64_t begin, int64_t end, float* sums) {
        HWY_DYNAMIC_DISPATCH(MaxRows)(x.row_range(begin, end), sums);
      },
      [&](const float* sums) {
        HWY_DYNAMIC_DISPATCH(MaxRows)({sums, 1, x.cols}, out.data());
      });
}

void column_dots(ConstMatrixView x, ConstMatrixView y, std::span<float> out,
                 bool accumulate) {
  assert(static_cast<int64_t>(out.size()) == x.cols);
  assert(x.rows == y.rows && x.cols == y.cols);
  if (!accumulate) std::ranges::fill(out, 0.0f);
  sum_by_blocks(
      x.rows, x.cols, 0.0f,
      [&](int64_t begin, int64_t end, float* sums) {
        HWY_DYNAMIC_DISPATCH(AddRowProducts)
        (x.row_range(begin, end), y.row_range(begin, end), sums);
      },
      [&](const float* sums) {
        HWY_DYNAMIC_DISPATCH(AddRows)({sums, 1, x.cols}, out.data());
      });
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
