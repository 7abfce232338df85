#include "fovea/kernels/quantized.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <optional>

#include "fovea/base/parallel.h"
#include "fovea/kernels/target.h"
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
using D = hn::CappedTag<float, kPanel>;
using DI = hn::RebindToSigned<D>;
constexpr D d;
constexpr DI di;
using V = hn::Vec<D>;
using VI = hn::Vec<DI>;
constexpr int kLanes = hn::MaxLanes(d);
constexpr int kVectors = kPanel / kLanes;
// Sums in registers: 4 rows of one panel, or 8 rows of two with AVX-512.
constexpr bool kManyRegisters = kLanes == kPanel;
constexpr int64_t kTileRows = kManyRegisters ? 8 : 4;
constexpr int64_t kTilePanels = kManyRegisters ? 2 : 1;
constexpr int64_t kFetchAhead = 512;  // bytes, in the product of one row

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
  const float* bias;  // or null
  bool accumulate;
  bool cut_negative;  // to 0, at the end
  int64_t soon_step;
};

namespace bytes {
#include "fovea/kernels/quantized_product-inl.h"
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fovea::kernels
HWY_AFTER_NAMESPACE();

#if HWY_TARGET == HWY_AVX3
#define FOVEA_DOT_PRODUCTS "vpdpbusd"
#define FOVEA_DOT_REGISTER "v"
HWY_PUSH_ATTRIBUTES(HWY_TARGET_STR ",avx512vnni")
#elif HWY_TARGET == HWY_AVX2
#define FOVEA_DOT_PRODUCTS "%{vex%} vpdpbusd"
#define FOVEA_DOT_REGISTER "x"
HWY_PUSH_ATTRIBUTES(HWY_TARGET_STR ",avxvnni")
#endif
#ifdef FOVEA_DOT_PRODUCTS
namespace fovea::kernels::HWY_NAMESPACE {
namespace {
namespace vnni {
#include "fovea/kernels/quantized_product-inl.h"
}
}  // namespace
}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_POP_ATTRIBUTES
#undef FOVEA_DOT_PRODUCTS
#undef FOVEA_DOT_REGISTER
#endif

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels {
namespace HWY_NAMESPACE {
namespace {

void Multiply(const QuantizedProduct& p) {
#if HWY_TARGET <= HWY_AVX2
  if (use_vnni()) return vnni::MultiplyPanels(p);
#endif
  bytes::MultiplyPanels(p);
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
