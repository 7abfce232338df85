#include <algorithm>
#include <cassert>
#include <type_traits>

#include "fovea/base/parallel.h"
#include "fovea/kernels/pair_tiles.h"
#include "fovea/kernels/pairs.h"

// Highway compiles the part below once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/pair_sums.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "fovea/kernels/loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr int kVectors = 4;  // columns of a tile

// The keys that some terms share.
struct Shared {
  const PairTerm* terms;
  int begin, end;
};

// Columns i on of the terms' sums += their keys' rows of b, weighed.
template <int kRows, int kCols, bool kWhole>
HWY_INLINE void gather_columns(const Shared& of, const float* s, float scale,
                               ConstMatrixView b, int64_t i, size_t count,
                               float* out) {
  const size_t lanes = hn::Lanes(kFloats);
  FloatVec sums[kRows][kCols];
  const float* weights[kRows];
  for (int r = 0; r < kRows; ++r) {
    weights[r] = s + of.terms[r].first;
    HWY_UNROLL(4)
    for (int c = 0; c < kCols; ++c) {
      sums[r][c] =
          load_some<kWhole>(out + of.terms[r].row + i + c * lanes, count);
    }
  }
  for (int x = of.begin; x < of.end; ++x) {
    FloatVec w[kRows];
    HWY_UNROLL(3)
    for (int r = 0; r < kRows; ++r) {
      w[r] = hn::Set(kFloats, scale * weights[r][x]);
    }
    HWY_UNROLL(4)
    for (int c = 0; c < kCols; ++c) {
      const FloatVec row = load_some<kWhole>(b.row(x) + i + c * lanes, count);
      HWY_UNROLL(3)
      for (int r = 0; r < kRows; ++r) {
        sums[r][c] = hn::MulAdd(w[r], row, sums[r][c]);
      }
    }
  }
  for (int r = 0; r < kRows; ++r) {
    HWY_UNROLL(4)
    for (int c = 0; c < kCols; ++c) {
      store_some<kWhole>(sums[r][c], out + of.terms[r].row + i + c * lanes,
                         count);
    }
  }
}

// Columns i on of the keys' sums += the terms' rows of a, weighed.
template <int kRows, int kCols, bool kWhole>
HWY_INLINE void scatter_columns(const Shared& of, const float* s, float scale,
                                const float* a, int64_t i, size_t count,
                                MatrixView out) {
  const size_t lanes = hn::Lanes(kFloats);
  FloatVec rows[kRows][kCols];
  const float* weights[kRows];
  for (int r = 0; r < kRows; ++r) {
    weights[r] = s + of.terms[r].first;
    HWY_UNROLL(4)
    for (int c = 0; c < kCols; ++c) {
      rows[r][c] =
          load_some<kWhole>(a + of.terms[r].row + i + c * lanes, count);
    }
  }
  for (int x = of.begin; x < of.end; ++x) {
    FloatVec w[kRows];
    HWY_UNROLL(3)
    for (int r = 0; r < kRows; ++r) {
      w[r] = hn::Set(kFloats, scale * weights[r][x]);
    }
    HWY_UNROLL(4)
    for (int c = 0; c < kCols; ++c) {
      float* at = out.row(x) + i + c * lanes;
      FloatVec sum = load_some<kWhole>(at, count);
      HWY_UNROLL(3)
      for (int r = 0; r < kRows; ++r) {
        sum = hn::MulAdd(w[r], rows[r][c], sum);
      }
      store_some<kWhole>(sum, at, count);
    }
  }
}

void Gather(const PairPart& part, const float* s, ConstMatrixView b,
            float* out) {
  for_pair_tiles(
      part.terms, part.begin, part.end,
      [&](const PairTerm* terms, int count, int begin, int end) HWY_ATTR {
        with_pair_count(count, [&](auto rows) HWY_ATTR {
          for_columns<kVectors>(part.d, [&](auto vectors, auto whole, int64_t i,
                                            size_t n) HWY_ATTR {
            gather_columns<rows(), vectors(), whole()>(
                {terms, begin, end}, s, part.scale, b, i, n, out);
          });
        });
      });
}

void Scatter(const PairPart& part, const float* s, const float* a,
             MatrixView out) {
  for_pair_tiles(
      part.terms, part.begin, part.end,
      [&](const PairTerm* terms, int count, int begin, int end) HWY_ATTR {
        with_pair_count(count, [&](auto rows) HWY_ATTR {
          for_columns<kVectors>(out.cols, [&](auto vectors, auto whole,
                                              int64_t i, size_t n) HWY_ATTR {
            scatter_columns<rows(), vectors(), whole()>(
                {terms, begin, end}, s, part.scale, a, i, n, out);
          });
        });
      });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fovea::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
namespace {

HWY_EXPORT(Gather);
HWY_EXPORT(Scatter);

constexpr int64_t kWork = 1 << 15;  // products that are worth a thread

void clear(const PairPart& part, float* out) {
  for (int64_t t = part.begin; t < part.end; ++t) {
    std::fill_n(out + part.terms[t].row, part.d, 0.0f);
  }
}

}  // namespace

void pair_gather(const float* s, ConstMatrixView b, const PairLayout& pairs,
                 float scale, bool accumulate, MatrixView out) {
  assert(out.rows == std::ssize(pairs.rows));
  assert(out.cols / pairs.heads == b.cols / pairs.key_heads);
  for_pair_parts(pairs, b, out.stride, scale,
                 [&](const PairPart& part, ConstMatrixView values) {
                   if (!accumulate) clear(part, out.data);
                   HWY_DYNAMIC_DISPATCH(Gather)(part, s, values, out.data);
                 });
}

void pair_scatter(const float* s, ConstMatrixView a, const PairLayout& pairs,
                  float scale, MatrixView out) {
  assert(a.rows == std::ssize(pairs.rows));
  assert(a.cols / pairs.heads == out.cols / pairs.key_heads);
  if (a.rows == 0) return;
  for_pair_columns(
      pairs, out.cols, kWork, [&](int head, int64_t begin, int64_t end) {
        const int64_t d = out.cols / pairs.key_heads;
        const PairTerms terms(pairs, head, d, a.stride);
        const PairPart part{terms, 0, terms.begin_of(a.rows), d, scale};
        HWY_DYNAMIC_DISPATCH(Scatter)
        (part, s, a.data + begin,
         out.col_range(head * d + begin, head * d + end));
      });
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
