#include "fovea/kernels/packed_gemm.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "fovea/base/check.h"
#include "fovea/base/parallel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/packed_gemm.cc"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "fovea/kernels/epilogue-inl.h"

#ifndef FOVEA_KERNELS_PACKED_GEMM_ONCE
#define FOVEA_KERNELS_PACKED_GEMM_ONCE
namespace fovea::kernels {
namespace {

constexpr int64_t kPanel = PackedMatrix::kPanel;

// What one thread computes: some rows, some panels.
struct PackedProduct {
  ConstMatrixView a;
  const float* panels;
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
constexpr D d;
using V = hn::Vec<D>;
constexpr int kLanes = hn::MaxLanes(d);
constexpr int kVectors = kPanel / kLanes;  // of one row of a panel

// Rows of a and of k that stay in the caches while all panels pass by.
constexpr int64_t kRowBlock = 96;
constexpr int64_t kDepthBlock = 512;
// Sums in registers: 6 rows of one panel, or 12 rows of two with AVX-512.
constexpr bool kManyRegisters = kLanes == kPanel;
constexpr int64_t kTileRows = kManyRegisters ? 12 : 6;
constexpr int64_t kTilePanels = kManyRegisters ? 2 : 1;

// The sums of one tile, rows x panels, over some of k.
struct Tile {
  const float* a;
  int64_t a_stride;
  const float* panel;
  int64_t panel_stride;
  int64_t depth;
  float* c;
  int64_t c_stride;
  bool from_zero;  // or go on from what c holds
  // Weights that are needed soon, fetched a bit in every step of k.
  const float* soon;
  int64_t soon_step;
};

// Loops over rows and vectors must vanish, or the sums live in memory.
template <int kRows, int kPanels>
HWY_INLINE void MultiplyTile(const Tile& t) {
  constexpr int kWide = kPanels * kVectors;
  V sum[kRows][kWide];
#pragma GCC unroll 12
  for (int r = 0; r < kRows; ++r) {
    hwy::Prefetch(t.c + r * t.c_stride);
#pragma GCC unroll 16
    for (int v = 0; v < kWide; ++v) {
      sum[r][v] = t.from_zero ? hn::Zero(d)
                              : hn::LoadU(d, t.c + r * t.c_stride + v * kLanes);
    }
  }
  // A base for each three rows, so that no more than two strides are needed to
  // address them.
  constexpr int kBases = (kRows + 2) / 3;
  const float* a[kBases];
#pragma GCC unroll 4
  for (int i = 0; i < kBases; ++i) a[i] = t.a + 3 * i * t.a_stride;
  const float* b = t.panel;
  const float* soon = t.soon;
  for (int64_t k = 0; k < t.depth; ++k, b += kPanel) {
    if constexpr (kPanels <= kTilePanels) {
#pragma GCC unroll 2
      for (int i = 0; i < kPanels; ++i) {
        hwy::Prefetch(soon + i * t.panel_stride);
      }
      soon += t.soon_step;
    }
    V row[kWide];
#pragma GCC unroll 16
    for (int v = 0; v < kWide; ++v) {
      row[v] = hn::Load(
          d, b + v / kVectors * t.panel_stride + v % kVectors * kLanes);
    }
#pragma GCC unroll 12
    for (int r = 0; r < kRows; ++r) {
      const V x = hn::Set(d, a[r / 3][r % 3 * t.a_stride]);
#pragma GCC unroll 16
      for (int v = 0; v < kWide; ++v) {
        sum[r][v] = hn::MulAdd(x, row[v], sum[r][v]);
      }
    }
#pragma GCC unroll 4
    for (int i = 0; i < kBases; ++i) ++a[i];
  }
#pragma GCC unroll 12
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 16
    for (int v = 0; v < kWide; ++v) {
      hn::StoreU(sum[r][v], d, t.c + r * t.c_stride + v * kLanes);
    }
  }
}

// Few rows have too few sums to hide the latency of an addition: they take
// several panels at once.
constexpr int64_t PanelsAtOnce(int64_t rows) {
  return rows == 1 ? 4 : rows <= 3 ? 2 * kTilePanels : kTilePanels;
}

HWY_NOINLINE void MultiplyFewRows(const Tile& t, int64_t rows) {
  switch (rows) {
    case 1:
      return MultiplyTile<1, PanelsAtOnce(1)>(t);
    case 2:
      return MultiplyTile<2, PanelsAtOnce(2)>(t);
    default:
      return MultiplyTile<3, PanelsAtOnce(3)>(t);
  }
}

// For up to kMost rows.
template <int kPanels, int kMost = kTileRows>
HWY_INLINE void MultiplyRows(const Tile& t, int64_t rows) {
  if constexpr (kMost > 1) {
    if (rows < kMost) return MultiplyRows<kPanels, kMost - 1>(t, rows);
  }
  MultiplyTile<kMost, kPanels>(t);
}

HWY_NOINLINE void MultiplyPanels(const Tile& t, int64_t rows, int64_t panels) {
  if (panels > kTilePanels) return MultiplyFewRows(t, rows);
  if constexpr (kTilePanels > 1) {
    if (panels > 1) return MultiplyRows<kTilePanels>(t, rows);
  }
  MultiplyRows<1>(t, rows);
}

struct Range {
  int64_t begin, end;
  int64_t size() const { return end - begin; }
};

void RunTile(const PackedProduct& p, Range k, Range rows, Range panels,
             int64_t share, int64_t shares) {
  const int64_t depth = p.a.cols;
  const int64_t column = panels.begin * kPanel;
  const float* weights =
      p.panels + panels.begin * depth * kPanel + k.begin * kPanel;
  const Tile t{
      .a = p.a.row(rows.begin) + k.begin,
      .a_stride = p.a.stride,
      .panel = weights,
      .panel_stride = depth * kPanel,
      .depth = k.size(),
      .c = p.c.row(rows.begin) + column,
      .c_stride = p.c.stride,
      .from_zero = k.begin == 0 && !p.accumulate,
      .soon = weights +
              (panels.size() * depth + k.size() * share / shares) * kPanel,
      .soon_step = (kPanel + shares - 1) / shares};
  MultiplyPanels(t, rows.size(), panels.size());
  if (k.end == depth) {
    finish_panels(d, {t.c, rows.size(), panels.size() * kPanel, t.c_stride},
                  p.bias == nullptr ? nullptr : p.bias + column, p.activation);
  }
}

// The last panel when it has fewer than 16 columns: the same code on a copy.
void RunEdge(const PackedProduct& p, Range k, Range rows, int64_t panel) {
  const int64_t column = panel * kPanel;
  const int64_t width = p.c.cols - column;
  HWY_ALIGN float sums[kTileRows * kPanel] = {};
  HWY_ALIGN float bias[kPanel] = {};
  for (int64_t r = 0; r < rows.size(); ++r) {
    const float* c = p.c.row(rows.begin + r) + column;
    if (k.begin > 0 || p.accumulate) std::copy_n(c, width, &sums[r * kPanel]);
  }
  if (p.bias != nullptr) std::copy_n(p.bias + column, width, bias);
  PackedProduct copy = p;
  copy.a = p.a.row_range(rows.begin, rows.end);
  copy.panels = p.panels + panel * p.a.cols * kPanel;
  copy.c = {sums, rows.size(), kPanel};
  copy.bias = p.bias == nullptr ? nullptr : bias;
  RunTile(copy, k, {0, rows.size()}, {0, 1}, 0, 1);
  for (int64_t r = 0; r < rows.size(); ++r) {
    std::copy_n(&sums[r * kPanel], width, p.c.row(rows.begin + r) + column);
  }
}

// All panels for a block of rows, over some of k.
void RunBlock(const PackedProduct& p, Range k, Range block) {
  const int64_t whole = p.c.cols / kPanel;
  const int64_t tiles = (block.size() + kTileRows - 1) / kTileRows;
  const auto tile = [&](int64_t i) {  // of like size, rather than a small one
    return Range{block.begin + block.size() * i / tiles,
                 block.begin + block.size() * (i + 1) / tiles};
  };
  const int64_t many = PanelsAtOnce(block.size());
  int64_t j = 0;
  for (; j < whole; j += j + many <= whole ? many : 1) {
    const Range panels{j, j + many <= whole ? j + many : j + 1};
    for (int64_t i = 0; i < tiles; ++i)
      RunTile(p, k, tile(i), panels, i, tiles);
  }
  if (j * kPanel < p.c.cols) {
    for (int64_t i = 0; i < tiles; ++i) RunEdge(p, k, tile(i), j);
  }
}

// A block of k goes on from the sums that the one before left in c: still one
// chain of additions, in order.
void Multiply(const PackedProduct& p) {
  const int64_t depth = p.a.cols;
  int64_t k = 0;
  do {
    const Range part{k, std::min(depth, k + kDepthBlock)};
    for (int64_t row = 0; row < p.a.rows; row += kRowBlock) {
      RunBlock(p, part, {row, std::min(p.a.rows, row + kRowBlock)});
    }
    k = part.end;
  } while (k < depth);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fovea::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
namespace {

HWY_EXPORT(Multiply);

// Multiply-adds that are worth a thread.
constexpr int64_t kGrain = 1 << 18;

void run(const PackedProduct& p) { HWY_DYNAMIC_DISPATCH(Multiply)(p); }

PackedProduct some_panels(const PackedProduct& p, int64_t begin, int64_t end) {
  PackedProduct part = p;
  part.panels = p.panels + begin * p.a.cols * kPanel;
  part.c = p.c.col_range(begin * kPanel, std::min(p.c.cols, end * kPanel));
  if (p.bias != nullptr) part.bias = p.bias + begin * kPanel;
  return part;
}

PackedProduct some_rows(const PackedProduct& p, int64_t begin, int64_t end) {
  PackedProduct part = p;
  part.a = p.a.row_range(begin, end);
  part.c = p.c.row_range(begin, end);
  return part;
}

}  // namespace

PackedMatrix::PackedMatrix(int64_t in, int64_t out)
    : in_(in), out_(out), panels_(panel_count() * kPanel * in) {}

PackedMatrix PackedMatrix::from_out_in(ConstMatrixView weight) {
  constexpr int64_t kBlock = 32;  // of k: what is written stays in the cache
  PackedMatrix packed(weight.cols, weight.rows);
  const auto pack_panel = [&](int64_t j) {
    float* panel = packed.panels_.data() + j * packed.in_ * kPanel;
    const int64_t width = std::min(kPanel, packed.out_ - j * kPanel);
    if (width < kPanel) std::fill_n(panel, packed.in_ * kPanel, 0.0f);
    for (int64_t block = 0; block < packed.in_; block += kBlock) {
      const int64_t end = std::min(packed.in_, block + kBlock);
      for (int64_t c = 0; c < width; ++c) {
        const float* from = weight.row(j * kPanel + c);
        for (int64_t k = block; k < end; ++k) panel[k * kPanel + c] = from[k];
      }
    }
  };
  parallel_for(packed.panel_count(), 8, [&](int64_t begin, int64_t end) {
    for (int64_t j = begin; j < end; ++j) pack_panel(j);
  });
  return packed;
}

PackedMatrix PackedMatrix::from_in_out(ConstMatrixView weight) {
  PackedMatrix packed(weight.rows, weight.cols);
  const auto pack = [&](int64_t begin, int64_t end) {
    for (int64_t j = begin; j < end; ++j) {
      float* panel = packed.panels_.data() + j * packed.in_ * kPanel;
      const int64_t width = std::min(kPanel, packed.out_ - j * kPanel);
      for (int64_t k = 0; k < packed.in_; ++k, panel += kPanel) {
        std::copy_n(weight.row(k) + j * kPanel, width, panel);
        std::fill(panel + width, panel + kPanel, 0.0f);
      }
    }
  };
  parallel_for(packed.panel_count(), 8, pack);
  return packed;
}

// A panel at a time, so that what is written stands side by side.
PackedMatrix PackedMatrix::columns(std::span<const int> some) const {
  PackedMatrix packed(in_, std::ssize(some));
  for (int64_t first = 0; first < packed.out_; first += kPanel) {
    const int64_t count = std::min(kPanel, packed.out_ - first);
    const float* columns[kPanel];
    for (int64_t j = 0; j < count; ++j) {
      const int64_t from = some[first + j];
      check(from >= 0 && from < out_, "packed weight: column ", from, " of ",
            out_);
      columns[j] = panel(from / kPanel) + from % kPanel;
    }
    float* to = packed.panels_.data() + first * in_;
    for (int64_t k = 0; k < in_; ++k, to += kPanel) {
      for (int64_t j = 0; j < count; ++j) to[j] = columns[j][k * kPanel];
      std::fill(to + count, to + kPanel, 0.0f);
    }
  }
  return packed;
}

void PackedMatrix::copy_column(int64_t column, std::span<float> to) const {
  const float* from = panel(column / kPanel) + column % kPanel;
  for (int64_t k = 0; k < in_; ++k) to[k] = from[k * kPanel];
}

void packed_gemm(ConstMatrixView a, const PackedMatrix& b, MatrixView c,
                 const PackedGemmOptions& options) {
  assert(a.cols == b.in() && a.rows == c.rows && c.cols == b.out());
  assert(options.bias.empty() ||
         static_cast<int64_t>(options.bias.size()) == c.cols);
  if (c.rows == 0 || c.cols == 0) return;
  const PackedProduct p{a,
                        b.panel(0),
                        c,
                        options.bias.empty() ? nullptr : options.bias.data(),
                        options.activation,
                        options.accumulate};
  // Many rows are cut between threads, for each to stay in its own part of a;
  // few rows share panels out.
  const int64_t depth = std::max<int64_t>(1, a.cols);
  if (c.rows >= 96 * thread_limit()) {
    const int64_t grain = std::max<int64_t>(24, kGrain / (depth * c.cols));
    parallel_for(c.rows, grain, [&](int64_t begin, int64_t end) {
      run(some_rows(p, begin, end));
    });
  } else {
    const int64_t grain =
        std::max<int64_t>(1, kGrain / (depth * c.rows * kPanel));
    parallel_for(b.panel_count(), grain, [&](int64_t begin, int64_t end) {
      run(some_panels(p, begin, end));
    });
  }
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
