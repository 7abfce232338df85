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

#include <hwy/highway.h>

#include "fovea/kernels/attention_tile-inl.h"
#include "fovea/kernels/view.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels {
namespace HWY_NAMESPACE {
namespace {

// Four rows of four floats each become four columns.
HWY_INLINE void transpose4(const float* const from[4], float* to) {
  const hn::FixedTag<float, 4> quad;
  const hn::Repartition<double, decltype(quad)> pairs;
  const auto a = hn::LoadU(quad, from[0]), b = hn::LoadU(quad, from[1]);
  const auto c = hn::LoadU(quad, from[2]), e = hn::LoadU(quad, from[3]);
  const auto ab_low = hn::BitCast(pairs, hn::InterleaveLower(quad, a, b));
  const auto ce_low = hn::BitCast(pairs, hn::InterleaveLower(quad, c, e));
  const auto ab_high = hn::BitCast(pairs, hn::InterleaveUpper(quad, a, b));
  const auto ce_high = hn::BitCast(pairs, hn::InterleaveUpper(quad, c, e));
  const auto store = [&](auto v, float* at) {
    hn::StoreU(hn::BitCast(quad, v), quad, at);
  };
  store(hn::InterleaveLower(pairs, ab_low, ce_low), to);
  store(hn::InterleaveUpper(pairs, ab_low, ce_low), to + kPanel);
  store(hn::InterleaveLower(pairs, ab_high, ce_high), to + 2 * kPanel);
  store(hn::InterleaveUpper(pairs, ab_high, ce_high), to + 3 * kPanel);
}

// 16 rows of m become a panel [cols][16]; rows that are missing become zeros.
HWY_INLINE void pack_transposed_panel(ConstMatrixView m, float* to) {
  const int rows = static_cast<int>(std::min<int64_t>(m.rows, kPanel));
  const int cols = static_cast<int>(m.cols);
  for (int r = 0; r < kPanel; r += 4) {
    int c = 0;
    if (r + 4 <= rows) {
      for (; c + 4 <= cols; c += 4) {
        const float* const from[4] = {m.row(r) + c, m.row(r + 1) + c,
                                      m.row(r + 2) + c, m.row(r + 3) + c};
        transpose4(from, to + c * kPanel + r);
      }
    }
    for (; c < cols; ++c) {
      for (int x = r; x < r + 4; ++x) {
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

// B = m * factor: panels of 16 columns, each [rows][16]; columns that are
// missing become zeros.
HWY_INLINE Right pack_columns(ConstMatrixView m, float factor, float* to) {
  const Vector scale = hn::Set(kFloats, factor);
  float* panel = to;
  for (int64_t c = 0; c < m.cols; c += kPanel, panel += m.rows * kPanel) {
    const int width = static_cast<int>(std::min<int64_t>(kPanel, m.cols - c));
    for (int64_t r = 0; r < m.rows; ++r) {
      const float* from = m.row(r) + c;
      float* at = panel + r * kPanel;
      if (width == kPanel) {
        for (int x = 0; x < kPanel; x += kLanes) {
          hn::StoreU(hn::Mul(scale, hn::LoadU(kFloats, from + x)), kFloats,
                     at + x);
        }
      } else {
        for (int x = 0; x < kPanel; ++x) {
          at[x] = x < width ? factor * from[x] : 0.0f;
        }
      }
    }
  }
  return {to, kPanel, m.rows * kPanel};
}

// A = m * factor, rows one after another.
HWY_INLINE Left pack_rows(ConstMatrixView m, float factor, float* to) {
  const Vector scale = hn::Set(kFloats, factor);
  for (int64_t r = 0; r < m.rows; ++r) {
    const float* from = m.row(r);
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
