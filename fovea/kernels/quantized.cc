#include "fovea/kernels/quantized.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <optional>

#include "fovea/base/parallel.h"
#include "fovea/tensor/allocator.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/quantized.cc"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "fovea/kernels/epilogue-inl.h"
#include "fovea/kernels/quantize_row-inl.h"

#ifndef FOVEA_KERNELS_QUANTIZED_ONCE
#define FOVEA_KERNELS_QUANTIZED_ONCE
namespace fovea::kernels {
namespace {

constexpr int64_t kPanel = QuantizedMatrix::kPanel;
constexpr int64_t kGroup = QuantizedMatrix::kGroup;
constexpr int64_t kPanelGroup = kPanel * kGroup;  // bytes for four of k

// Rows of activations in 7 bits.
struct SevenBitRows {
  uint8_t* data;
  int64_t stride;  // whole groups
  float* scales;

  SevenBitRows from(int64_t row) const {
    return {data + row * stride, stride, scales + row};
  }
};

// What one thread computes: some rows, some panels.
struct QuantizedProduct {
  SevenBitRows a;
  const int8_t* panels;
  const float* scales;
  const int32_t* offsets;
  MatrixView c;
  const float* bias;  // of the first column of c, or null
  Activation activation;
  bool accumulate;
};

}  // namespace
}  // namespace fovea::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<float, 8>;
using DI = hn::RebindToSigned<D>;
constexpr D d;
constexpr DI di;
using V = hn::Vec<D>;
using VI = hn::Vec<DI>;
constexpr int kLanes = hn::MaxLanes(d);
constexpr int kVectors = kPanel / kLanes;
constexpr int64_t kTileRows = 4;
constexpr int64_t kFetchAhead = 512;  // bytes, in the product of one row

// sum += the four products of unsigned bytes of x with signed bytes of w, in
// each lane, for one or two x and w.
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_SSE4
HWY_INLINE auto Pairs(VI x, VI w) {  // sums of two in 16 bits
#if HWY_TARGET == HWY_AVX2
  return _mm256_maddubs_epi16(x.raw, w.raw);
#else
  return _mm_maddubs_epi16(x.raw, w.raw);
#endif
}
template <class Pair>
HWY_INLINE VI AddPairs(Pair pairs, VI sum) {
#if HWY_TARGET == HWY_AVX2
  const auto dots = _mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
  return VI{_mm256_add_epi32(sum.raw, dots)};
#else
  const auto dots = _mm_madd_epi16(pairs, _mm_set1_epi16(1));
  return VI{_mm_add_epi32(sum.raw, dots)};
#endif
}
#endif

HWY_INLINE VI AddDots(VI x, VI w, VI sum) {
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_SSE4
  return AddPairs(Pairs(x, w), sum);
#else
  const VI byte = hn::Set(di, 0xff);
  sum = hn::Add(
      sum, hn::Mul(hn::And(x, byte), hn::ShiftRight<24>(hn::ShiftLeft<24>(w))));
  sum = hn::Add(sum, hn::Mul(hn::And(hn::ShiftRight<8>(x), byte),
                             hn::ShiftRight<24>(hn::ShiftLeft<16>(w))));
  sum = hn::Add(sum, hn::Mul(hn::And(hn::ShiftRight<16>(x), byte),
                             hn::ShiftRight<24>(hn::ShiftLeft<8>(w))));
  return hn::Add(sum, hn::Mul(hn::And(hn::ShiftRight<24>(x), byte),
                              hn::ShiftRight<24>(w)));
#endif
}

// Four products of 127 * 64 fit 16 bits, so that two x share the second step.
HWY_INLINE VI AddTwoDots(VI x0, VI w0, VI x1, VI w1, VI sum) {
#if HWY_TARGET == HWY_AVX2
  return AddPairs(_mm256_add_epi16(Pairs(x0, w0), Pairs(x1, w1)), sum);
#elif HWY_TARGET == HWY_SSE4
  return AddPairs(_mm_add_epi16(Pairs(x0, w0), Pairs(x1, w1)), sum);
#else
  return AddDots(x1, w1, AddDots(x0, w0, sum));
#endif
}

// Four bytes of a row in every lane.
HWY_INLINE VI Spread(const uint8_t* x) {
  int32_t bits;
  std::memcpy(&bits, x, sizeof(bits));
  return hn::Set(di, bits);
}

HWY_INLINE VI LoadWeights(const int8_t* w) {
  return hn::Load(di, reinterpret_cast<const int32_t*>(w));
}

void QuantizeRows(ConstMatrixView x, const SevenBitRows& q) {
  for (int64_t r = 0; r < x.rows; ++r) {
    q.scales[r] =
        QuantizeRow(x.row(r), x.cols, q.stride, q.data + r * q.stride);
  }
}

// One panel of weights, and a part of those needed soon: fetched a bit in every
// step.
struct Panel {
  const int8_t* weights;
  const float* scales;
  const int32_t* offsets;
  bool accumulate;
  int64_t soon_step;
};

// Loops over rows and vectors must vanish, or the sums live in memory.
template <int kRows, int kPanels = 1>
HWY_INLINE void MultiplyTile(const Panel& p, SevenBitRows a, MatrixView c,
                             const int8_t* soon) {
  constexpr int kWide = kPanels * kVectors;
  VI sum[kRows][kWide];
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
    hwy::Prefetch(c.row(r));
#pragma GCC unroll 16
    for (int v = 0; v < kWide; ++v) {
      sum[r][v] = hn::Load(di, p.offsets + v * kLanes);
    }
  }
  const int8_t* w = p.weights;
  const uint8_t* x = a.data;
  const int64_t soon_step = 2 * p.soon_step;
  const auto weights = [&](int v) HWY_ATTR {
    return w + v / kVectors * a.stride * kPanel +
           v % kVectors * kLanes * kGroup;
  };
  int64_t k = 0;
  for (; k + 2 * kGroup <= a.stride; k += 2 * kGroup) {
    if (kPanels == 1) {
      hwy::Prefetch(soon);
      hwy::Prefetch(soon + p.soon_step);
      soon += soon_step;
    } else {
#pragma GCC unroll 8
      for (int i = 0; i < kPanels; ++i) {
        hwy::Prefetch(w + i * a.stride * kPanel + kFetchAhead);
        hwy::Prefetch(w + i * a.stride * kPanel + kFetchAhead + kPanelGroup);
      }
    }
    VI first[kWide], second[kWide];
#pragma GCC unroll 16
    for (int v = 0; v < kWide; ++v) {
      first[v] = LoadWeights(weights(v));
      second[v] = LoadWeights(weights(v) + kPanelGroup);
    }
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      const VI x0 = Spread(x + r * a.stride);
      const VI x1 = Spread(x + r * a.stride + kGroup);
#pragma GCC unroll 16
      for (int v = 0; v < kWide; ++v) {
        sum[r][v] = AddTwoDots(x0, first[v], x1, second[v], sum[r][v]);
      }
    }
    w += 2 * kPanelGroup;
    x += 2 * kGroup;
  }
  if (k < a.stride) {
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 16
      for (int v = 0; v < kWide; ++v) {
        sum[r][v] = AddDots(Spread(x + r * a.stride), LoadWeights(weights(v)),
                            sum[r][v]);
      }
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
    const V scale = hn::Set(d, a.scales[r]);
#pragma GCC unroll 16
    for (int v = 0; v < kWide; ++v) {
      float* to = c.row(r) + v * kLanes;
      V y = hn::Mul(hn::Mul(hn::ConvertTo(d, sum[r][v]), scale),
                    hn::Load(d, p.scales + v * kLanes));
      if (p.accumulate) y = hn::Add(y, hn::LoadU(d, to));
      hn::StoreU(y, d, to);
    }
  }
}

// One row alone takes four panels at once, to work on each byte of it longer.
HWY_NOINLINE void MultiplyFourPanels(const Panel& p, const SevenBitRows& a,
                                     MatrixView c) {
  MultiplyTile<1, 4>(p, a, c, nullptr);
}

// All rows with one panel. c is one panel wide.
HWY_NOINLINE void MultiplyPanel(const Panel& p, SevenBitRows a, MatrixView c) {
  const int8_t* soon = p.weights + a.stride * kPanel;
  const int64_t soon_tile = a.stride / kGroup * p.soon_step;
  int64_t r = 0;
  for (; r + 4 <= c.rows; r += 4, soon += soon_tile) {
    MultiplyTile<4>(p, a.from(r), c.row_range(r, r + 4), soon);
  }
  switch (c.rows - r) {
    case 3:
      return MultiplyTile<3>(p, a.from(r), c.row_range(r, r + 3), soon);
    case 2:
      return MultiplyTile<2>(p, a.from(r), c.row_range(r, r + 2), soon);
    case 1:
      return MultiplyTile<1>(p, a.from(r), c.row_range(r, r + 1), soon);
    default:
      return;
  }
}

// The last panel when it has fewer than 16 columns: the same code on a copy.
void MultiplyEdge(const Panel& p, const SevenBitRows& a, MatrixView c,
                  const float* bias, Activation activation) {
  HWY_ALIGN float whole_bias[kPanel] = {};
  if (bias != nullptr) std::copy_n(bias, c.cols, whole_bias);
  for (int64_t r = 0; r < c.rows; ++r) {
    HWY_ALIGN float row[kPanel] = {};
    std::copy_n(c.row(r), c.cols, row);
    const MatrixView copy(row, 1, kPanel);
    MultiplyPanel(p, a.from(r), copy);
    finish_panels(d, copy, bias == nullptr ? nullptr : whole_bias, activation);
    std::copy_n(row, c.cols, c.row(r));
  }
}

void Multiply(const QuantizedProduct& p) {
  const int64_t tiles = (p.c.rows + kTileRows - 1) / kTileRows;
  for (int64_t column = 0, width; column < p.c.cols; column += width) {
    const int64_t left = p.c.cols - column;
    width = p.c.rows == 1 && left >= 4 * kPanel ? 4 * kPanel
                                                : std::min(left, kPanel);
    const Panel panel{.weights = p.panels + column * p.a.stride,
                      .scales = p.scales + column,
                      .offsets = p.offsets + column,
                      .accumulate = p.accumulate,
                      .soon_step = (kPanelGroup + tiles - 1) / tiles};
    const float* bias = p.bias == nullptr ? nullptr : p.bias + column;
    const MatrixView c = p.c.col_range(column, column + width);
    if (width < kPanel) {
      MultiplyEdge(panel, p.a, c, bias, p.activation);
      return;
    }
    width == kPanel ? MultiplyPanel(panel, p.a, c)
                    : MultiplyFourPanels(panel, p.a, c);
    finish_panels(d, c, bias, p.activation);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fovea::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
namespace {

HWY_EXPORT(Multiply);
HWY_EXPORT(QuantizeRows);

constexpr int64_t kRowBlock = 64;    // quantised, then multiplied
constexpr int64_t kGrain = 1 << 19;  // multiply-adds that are worth a thread

QuantizedProduct whole_product(const QuantizedMatrix& b, MatrixView c,
                               const PackedGemmOptions& options) {
  return {{},
          b.panel(0),
          b.scales(),
          b.offsets(),
          c,
          options.bias.empty() ? nullptr : options.bias.data(),
          options.activation,
          options.accumulate};
}

// Memory for some quantised rows; a few of them need no allocation.
class RowMemory {
 public:
  RowMemory(int64_t rows, int64_t stride) : stride_(stride), rows_(rows) {
    const size_t bytes = rows * (stride + sizeof(float));
    if (bytes > sizeof(small_)) large_.emplace(bytes);
  }
  SevenBitRows rows() {
    uint8_t* memory = large_ ? large_->data() : small_;
    return {memory + rows_ * sizeof(float), stride_,
            reinterpret_cast<float*>(memory)};
  }

 private:
  int64_t stride_, rows_;
  alignas(Allocator::kAlignment) uint8_t small_[1 << 14];
  std::optional<Scratch<uint8_t>> large_;
};

void multiply_some_rows(ConstMatrixView a, const QuantizedProduct& whole,
                        int64_t stride) {
  RowMemory memory(std::min(a.rows, kRowBlock), stride);
  QuantizedProduct p = whole;
  p.a = memory.rows();
  for (int64_t row = 0; row < a.rows; row += kRowBlock) {
    const int64_t end = std::min(a.rows, row + kRowBlock);
    p.c = whole.c.row_range(row, end);
    HWY_DYNAMIC_DISPATCH(QuantizeRows)(a.row_range(row, end), p.a);
    HWY_DYNAMIC_DISPATCH(Multiply)(p);
  }
}

void multiply_some_panels(const QuantizedProduct& whole, int64_t begin,
                          int64_t end) {
  const int64_t column = begin * kPanel;
  QuantizedProduct p = whole;
  p.panels += column * p.a.stride;
  p.scales += column;
  p.offsets += column;
  if (p.bias != nullptr) p.bias += column;
  p.c = whole.c.col_range(column, std::min(whole.c.cols, end * kPanel));
  HWY_DYNAMIC_DISPATCH(Multiply)(p);
}

}  // namespace

void quantized_gemm(ConstMatrixView a, const QuantizedMatrix& b, MatrixView c,
                    const PackedGemmOptions& options) {
  assert(a.cols == b.in() && a.rows == c.rows && c.cols == b.out());
  assert(options.bias.empty() ||
         static_cast<int64_t>(options.bias.size()) == c.cols);
  if (c.rows == 0 || c.cols == 0) return;
  const int64_t stride = b.groups() * kGroup;
  const int64_t work = std::max<int64_t>(1, stride);
  QuantizedProduct p = whole_product(b, c, options);
  if (c.rows >= kRowBlock * thread_limit()) {
    const int64_t grain = std::max<int64_t>(16, kGrain / (work * c.cols));
    parallel_for(c.rows, grain, [&](int64_t begin, int64_t end) {
      QuantizedProduct part = p;
      part.c = p.c.row_range(begin, end);
      multiply_some_rows(a.row_range(begin, end), part, stride);
    });
    return;
  }
  // Few rows: all threads share them and take panels each.
  RowMemory memory(a.rows, stride);
  p.a = memory.rows();
  HWY_DYNAMIC_DISPATCH(QuantizeRows)(a, p.a);
  const int64_t grain = std::max<int64_t>(1, kGrain / (work * c.rows * kPanel));
  parallel_for(b.panel_count(), grain, [&](int64_t begin, int64_t end) {
    multiply_some_panels(p, begin, end);
  });
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
