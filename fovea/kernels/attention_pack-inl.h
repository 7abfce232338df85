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
HWY_INLINE hn::Vec<D> load_blocks(D d, const float* const* rows, int64_t c) {
  if constexpr (hn::MaxLanes(D()) == 4) {
    return hn::LoadU(d, rows[0] + c);
  } else {
    const hn::Half<D> half;
    return hn::Combine(d, load_blocks(half, rows + hn::MaxLanes(half), c),
                       load_blocks(half, rows, c));
  }
}

struct FourVectors {
  Vector v0, v1, v2, v3;
};

// Four floats at c of each of kLanes rows, turned: one of each row.
HWY_INLINE FourVectors transposed(const float* const* rows, int64_t c) {
  const hn::Repartition<double, Floats> pairs;
  const Vector v0 = load_blocks(kFloats, rows, c);
  const Vector v1 = load_blocks(kFloats, rows + 1, c);
  const Vector v2 = load_blocks(kFloats, rows + 2, c);
  const Vector v3 = load_blocks(kFloats, rows + 3, c);
  const auto low01 = hn::BitCast(pairs, hn::InterleaveLower(kFloats, v0, v1));
  const auto low23 = hn::BitCast(pairs, hn::InterleaveLower(kFloats, v2, v3));
  const auto high01 = hn::BitCast(pairs, hn::InterleaveUpper(kFloats, v0, v1));
  const auto high23 = hn::BitCast(pairs, hn::InterleaveUpper(kFloats, v2, v3));
  return {hn::BitCast(kFloats, hn::InterleaveLower(pairs, low01, low23)),
          hn::BitCast(kFloats, hn::InterleaveUpper(pairs, low01, low23)),
          hn::BitCast(kFloats, hn::InterleaveLower(pairs, high01, high23)),
          hn::BitCast(kFloats, hn::InterleaveUpper(pairs, high01, high23))};
}

// The same as four columns of a panel.
HWY_INLINE void transpose_block(const float* const* rows, int c, float* to) {
  const FourVectors columns = transposed(rows, c);
  hn::StoreU(columns.v0, kFloats, to);
  hn::StoreU(columns.v1, kFloats, to + kPanel);
  hn::StoreU(columns.v2, kFloats, to + 2 * kPanel);
  hn::StoreU(columns.v3, kFloats, to + 3 * kPanel);
}

// Rows of one head are far apart, so that the hardware does not foresee them.
HWY_INLINE void prefetch_row(const float* row, int64_t cols) {
  constexpr int64_t kLine = 16;
  for (int64_t c = 0; c < cols; c += kLine) hwy::Prefetch(row + c);
}

// What is read or written after some other work.
HWY_INLINE void prefetch_rows(ConstMatrixView m) {
  for (int64_t r = 0; r < m.rows; ++r) prefetch_row(m.row(r), m.cols);
}

// 16 rows of m become a panel [cols][16]. In place of rows that are missing the
// last one stands again: nobody looks at what comes of them.
HWY_INLINE void pack_transposed_panel(ConstMatrixView m, float* to) {
  const int cols = static_cast<int>(m.cols);
  for (int r = 0; r < kPanel; r += kLanes) {
    const float* rows[kLanes];
    for (int x = 0; x < kLanes; ++x) {
      rows[x] = m.row(std::min<int64_t>(r + x, m.rows - 1));
      if (r + x + kPanel < m.rows) prefetch_row(m.row(r + x + kPanel), cols);
    }
    int c = 0;
    for (; c + 4 <= cols; c += 4) {
      transpose_block(rows, c, to + c * kPanel + r);
    }
    for (; c < cols; ++c) {
      for (int x = 0; x < kLanes; ++x) to[c * kPanel + r + x] = rows[x][c];
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
  constexpr int kAhead = 16;
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

// B = m without a copy, if few rows of A make it not worth one.
HWY_INLINE Right columns_of(ConstMatrixView m, bool few, float* to) {
  if (few && m.cols % kPanel == 0) return {m.data, m.stride, kPanel};
  return pack_columns(m, to);
}

// A = m * factor, rows one after another.
HWY_INLINE Left pack_rows(ConstMatrixView m, float factor, float* to) {
  const Vector scale = hn::Set(kFloats, factor);
  constexpr int kAhead = 16;
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

HWY_INLINE Result result(MatrixView m) { return {m.data, m.stride}; }

HWY_INLINE void clear_rows(MatrixView m) {
  for (int64_t r = 0; r < m.rows; ++r) std::fill_n(m.row(r), m.cols, 0.0f);
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
