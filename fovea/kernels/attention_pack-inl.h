// Copies of attention's operands in the order in which attention_tile-inl.h
// reads them, for the part of a kernel that Highway compiles once for each
// instruction set. Include attention_tile-inl.h first.

// Highway's include guard: once for each instruction set.
#if defined(FOVEA_KERNELS_ATTENTION_PACK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_KERNELS_ATTENTION_PACK_INL_H_
#undef FOVEA_KERNELS_ATTENTION_PACK_INL_H_
#else
#define FOVEA_KERNELS_ATTENTION_PACK_INL_H_
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "fovea/kernels/attention_tile-inl.h"
#include "fovea/kernels/view.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels {
namespace HWY_NAMESPACE {
namespace {

// Four floats from each of kLanes / 4 rows, one block of lanes a row.
template <class D>
HWY_INLINE hn::Vec<D> load_blocks(D d, const float* from, int64_t stride) {
  if constexpr (hn::MaxLanes(D()) == 4) {
    return hn::LoadU(d, from);
  } else {
    const hn::Half<D> quad;
    return hn::Combine(d, hn::LoadU(quad, from + 4 * stride),
                       hn::LoadU(quad, from));
  }
}

// kLanes rows of four floats each become four columns of a panel.
HWY_INLINE void transpose_block(const float* from, int64_t stride, float* to) {
  const hn::Repartition<double, Floats> pairs;
  const Vector a = load_blocks(kFloats, from, stride);
  const Vector b = load_blocks(kFloats, from + stride, stride);
  const Vector c = load_blocks(kFloats, from + 2 * stride, stride);
  const Vector e = load_blocks(kFloats, from + 3 * stride, stride);
  const auto ab_low = hn::BitCast(pairs, hn::InterleaveLower(kFloats, a, b));
  const auto ce_low = hn::BitCast(pairs, hn::InterleaveLower(kFloats, c, e));
  const auto ab_high = hn::BitCast(pairs, hn::InterleaveUpper(kFloats, a, b));
  const auto ce_high = hn::BitCast(pairs, hn::InterleaveUpper(kFloats, c, e));
  const auto store = [&](auto v, float* at) {
    hn::StoreU(hn::BitCast(kFloats, v), kFloats, at);
  };
  store(hn::InterleaveLower(pairs, ab_low, ce_low), to);
  store(hn::InterleaveUpper(pairs, ab_low, ce_low), to + kPanel);
  store(hn::InterleaveLower(pairs, ab_high, ce_high), to + 2 * kPanel);
  store(hn::InterleaveUpper(pairs, ab_high, ce_high), to + 3 * kPanel);
}

// Rows of one head are far apart, so that the hardware does not foresee them.
HWY_INLINE void prefetch_row(const float* row, int64_t cols) {
  constexpr int64_t kLine = 16;
  for (int64_t c = 0; c < cols; c += kLine) hwy::Prefetch(row + c);
}

// 16 rows of m become a panel [cols][16]; rows that are missing become zeros.
HWY_INLINE void pack_transposed_panel(ConstMatrixView m, float* to) {
  const int rows = static_cast<int>(std::min<int64_t>(m.rows, kPanel));
  const int cols = static_cast<int>(m.cols);
  for (int r = 0; r < kPanel; r += kLanes) {
    for (int x = r + 2 * kPanel; x < r + 2 * kPanel + kLanes && x < m.rows;
         ++x) {
      prefetch_row(m.row(x), cols);
    }
    int c = 0;
    if (r + kLanes <= rows) {
      for (; c + 4 <= cols; c += 4) {
        transpose_block(m.row(r) + c, m.stride, to + c * kPanel + r);
      }
    }
    for (; c < cols; ++c) {
      for (int x = r; x < r + kLanes; ++x) {
        to[c * kPanel + x] = x < rows ? m.row(x)[c] : 0.0f;
      }
    }
  }
}

// B = m^T: rows become the columns of panels, each [cols][16].
HWY_INLINE Right pack_transposed(ConstMatrixView m, float* to) {
  for (int64_t r = 0; r < m.rows; r += kPanel) {
    pack_transposed_panel(m.row_range(r, m.rows), to + r * m.cols);
  }
  return {to, kPanel, m.cols * kPanel};
}

// B = m: panels of 16 columns, each [rows][16]; columns that are missing become
// zeros.
HWY_INLINE Right pack_columns(ConstMatrixView m, float* to) {
  constexpr int kAhead = 24;
  const int64_t panel = m.rows * kPanel;
  const int64_t whole = m.cols / kPanel * kPanel;
  for (int64_t r = 0; r < m.rows; ++r) {
    const float* from = m.row(r);
    if (r + kAhead < m.rows) prefetch_row(m.row(r + kAhead), m.cols);
    float* at = to + r * kPanel;
    for (int64_t c = 0; c < whole; c += kPanel, at += panel) {
      for (int x = 0; x < kPanel; x += kLanes) {
        hn::StoreU(hn::LoadU(kFloats, from + c + x), kFloats, at + x);
      }
    }
    if (whole == m.cols) continue;
    for (int64_t x = 0; x < kPanel; ++x) {
      at[x] = whole + x < m.cols ? from[whole + x] : 0.0f;
    }
  }
  return {to, kPanel, panel};
}

// A = m * factor, rows one after another.
HWY_INLINE Left pack_rows(ConstMatrixView m, float factor, float* to) {
  const Vector scale = hn::Set(kFloats, factor);
  constexpr int kAhead = 24;
  for (int64_t r = 0; r < m.rows; ++r) {
    const float* from = m.row(r);
    if (r + kAhead < m.rows) prefetch_row(m.row(r + kAhead), m.cols);
    float* at = to + r * m.cols;
    int64_t c = 0;
    for (; c + kLanes <= m.cols; c += kLanes) {
      hn::StoreU(hn::Mul(scale, hn::LoadU(kFloats, from + c)), kFloats, at + c);
    }
    for (; c < m.cols; ++c) at[c] = factor * from[c];
  }
  return {to, m.cols, 1};
}

// to (+)= factor * from, row by row; from has rows of `stride` floats.
HWY_INLINE void unpack_rows(const float* from, int64_t stride, float factor,
                            bool add, MatrixView to) {
  const Vector scale = hn::Set(kFloats, factor);
  for (int64_t r = 0; r < to.rows; ++r) {
    const float* source = from + r * stride;
    float* at = to.row(r);
    int64_t c = 0;
    for (; c + kLanes <= to.cols; c += kLanes) {
      Vector v = hn::Mul(scale, hn::LoadU(kFloats, source + c));
      if (add) v = hn::Add(hn::LoadU(kFloats, at + c), v);
      hn::StoreU(v, kFloats, at + c);
    }
    for (; c < to.cols; ++c) {
      const float v = factor * source[c];
      at[c] = add ? at[c] + v : v;
    }
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fovea::kernels
HWY_AFTER_NAMESPACE();

#endif  // FOVEA_KERNELS_ATTENTION_PACK_INL_H_
