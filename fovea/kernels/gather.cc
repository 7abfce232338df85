#include "fovea/kernels/gather.h"

#include <algorithm>
#include <cassert>

#include "fovea/base/parallel.h"

// Highway compiles the part below once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/gather.cc"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "fovea/kernels/loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Rows of a table lie anywhere: fetch them a few rows ahead.
constexpr int64_t kAhead = 8;

HWY_INLINE void prefetch_row(const float* row, int64_t cols) {
  for (int64_t j = 0; j < cols; j += 16) hwy::Prefetch(row + j);
}

void ScatterAdd(ConstMatrixView x, std::span<const int> ids, MatrixView table) {
  const int64_t count = x.rows;
  for (int64_t i = 0; i < count; ++i) {
    if (i + kAhead < count) {
      prefetch_row(table.row(ids[i + kAhead]), table.cols);
    }
    float* sum = table.row(ids[i]);
    map(
        x.cols, sum, [](FloatVec s, FloatVec v) { return hn::Add(s, v); },
        static_cast<const float*>(sum), x.row(i));
  }
}

void Gather(ConstMatrixView table, std::span<const int> ids, MatrixView y) {
  const int64_t count = y.rows;
  for (int64_t i = 0; i < count; ++i) {
    if (i + kAhead < count) {
      prefetch_row(table.row(ids[i + kAhead]), table.cols);
    }
    std::copy_n(table.row(ids[i]), table.cols, y.row(i));
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace fovea::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
namespace {

constexpr int64_t kGrain = 1 << 15;  // elements that are worth a thread
constexpr int64_t kLine = 16;        // floats in a cache line

HWY_EXPORT(Gather);
HWY_EXPORT(ScatterAdd);

}  // namespace

void gather_rows(ConstMatrixView table, std::span<const int> ids,
                 MatrixView y) {
  assert(static_cast<int64_t>(ids.size()) == y.rows && table.cols == y.cols);
  parallel_for(y.rows, std::max<int64_t>(1, kGrain / (y.cols + 1)),
               [&](int64_t begin, int64_t end) {
                 HWY_DYNAMIC_DISPATCH(Gather)
                 (table, ids.subspan(begin, end - begin),
                  y.row_range(begin, end));
               });
}

void scatter_add_rows(ConstMatrixView x, std::span<const int> ids,
                      MatrixView table) {
  assert(static_cast<int64_t>(ids.size()) == x.rows && table.cols == x.cols);
  // Threads own columns: all of them see the ids in the same order.
  const int64_t lines = (x.cols + kLine - 1) / kLine;
  const int64_t grain = std::max<int64_t>(2, kGrain / (kLine * (x.rows + 1)));
  parallel_for(lines, grain, [&](int64_t first, int64_t last) {
    const int64_t begin = first * kLine;
    const int64_t end = std::min(x.cols, last * kLine);
    HWY_DYNAMIC_DISPATCH(ScatterAdd)
    (x.col_range(begin, end), ids, table.col_range(begin, end));
  });
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
