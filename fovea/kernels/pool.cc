#include "fovea/kernels/pool.h"

#include <algorithm>
#include <cassert>
#include <limits>

#include "fovea/base/parallel.h"

// Highway compiles the part below once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/pool.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "fovea/kernels/loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// y = a * x, or y += it
void ScaleInto(float a, const float* x, float* y, size_t count,
               bool accumulate) {
  const FloatVec factor = hn::Set(kFloats, a);
  map_into(
      accumulate, count, y, [=](FloatVec v) { return hn::Mul(factor, v); }, x);
}

// Row i takes the place of the best where it is larger.
void KeepLarger(const float* x, int row, size_t count, float* best,
                int* winners) {
  for (size_t j = 0; j < count; ++j) {
    const bool larger = x[j] > best[j];
    best[j] = larger ? x[j] : best[j];
    winners[j] = larger ? row : winners[j];
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace fovea::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
namespace {

constexpr int64_t kGrain = 1 << 15;  // elements that are worth a thread

HWY_EXPORT(ScaleInto);
HWY_EXPORT(KeepLarger);

// Calls body(b) for each segment; those of one thread are neighbours.
template <class Body>
void for_segments(std::span<const int> offsets, int64_t cols,
                  const Body& body) {
  const int64_t count = static_cast<int64_t>(offsets.size()) - 1;
  if (count <= 0) return;
  const int64_t rows = offsets.back() - offsets.front();
  const int64_t elements = (rows / count + 1) * std::max<int64_t>(1, cols);
  parallel_for(count, std::max<int64_t>(1, kGrain / elements),
               [&](int64_t begin, int64_t end) {
                 for (int64_t b = begin; b < end; ++b) body(b);
               });
}

float weight(Pool pool, int64_t length) {
  return pool == Pool::kMean ? 1.0f / static_cast<float>(length) : 1.0f;
}

}  // namespace

void segment_pool(Pool pool, ConstMatrixView x, std::span<const int> offsets,
                  MatrixView y, bool accumulate) {
  assert(y.rows == static_cast<int64_t>(offsets.size()) - 1);
  assert(x.cols == y.cols && x.rows == offsets.back());
  for_segments(offsets, x.cols, [&](int64_t b) {
    const int begin = offsets[b], end = offsets[b + 1];
    if (!accumulate) std::fill_n(y.row(b), y.cols, 0.0f);
    const float factor = weight(pool, end - begin);
    for (int i = begin; i < end; ++i) {
      HWY_DYNAMIC_DISPATCH(ScaleInto)
      (factor, x.row(i), y.row(b), x.cols, true);
    }
  });
}

void segment_spread(Pool pool, ConstMatrixView dy, std::span<const int> offsets,
                    MatrixView dx, bool accumulate) {
  assert(dy.rows == static_cast<int64_t>(offsets.size()) - 1);
  assert(dx.cols == dy.cols && dx.rows == offsets.back());
  for_segments(offsets, dx.cols, [&](int64_t b) {
    const int begin = offsets[b], end = offsets[b + 1];
    const float factor = weight(pool, end - begin);
    for (int i = begin; i < end; ++i) {
      HWY_DYNAMIC_DISPATCH(ScaleInto)
      (factor, dy.row(b), dx.row(i), dx.cols, accumulate);
    }
  });
}

void segment_max(ConstMatrixView x, std::span<const int> offsets, MatrixView y,
                 std::span<int> winners) {
  assert(y.rows == static_cast<int64_t>(offsets.size()) - 1);
  assert(x.cols == y.cols && x.rows == offsets.back());
  assert(static_cast<int64_t>(winners.size()) == y.rows * y.cols);
  for_segments(offsets, x.cols, [&](int64_t b) {
    const int begin = offsets[b], end = offsets[b + 1];
    int* winner = winners.data() + b * y.cols;
    if (begin == end) {
      std::fill_n(y.row(b), y.cols, 0.0f);
      std::fill_n(winner, y.cols, -1);
      return;
    }
    std::copy_n(x.row(begin), x.cols, y.row(b));
    std::fill_n(winner, y.cols, begin);
    for (int i = begin + 1; i < end; ++i) {
      HWY_DYNAMIC_DISPATCH(KeepLarger)
      (x.row(i), i, x.cols, y.row(b), winner);
    }
  });
}

void segment_max_backward(ConstMatrixView dy, std::span<const int> winners,
                          MatrixView dx) {
  assert(static_cast<int64_t>(winners.size()) == dy.rows * dy.cols);
  // Segments share no rows, so threads may take ranges of them.
  parallel_for(dy.rows, std::max<int64_t>(1, kGrain / (dy.cols + 1)),
               [&](int64_t begin, int64_t end) {
                 for (int64_t b = begin; b < end; ++b) {
                   for (int64_t j = 0; j < dy.cols; ++j) {
                     const int row = winners[b * dy.cols + j];
                     if (row >= 0) dx.row(row)[j] += dy.row(b)[j];
                   }
                 }
               });
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
