// The steps of attention's backward pass on a tile of queries and a block of
// keys, for the part of a kernel that Highway compiles once for each
// instruction set.

// Highway's include guard: once for each instruction set.
#if defined(FOVEA_KERNELS_ATTENTION_GRADIENT_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_KERNELS_ATTENTION_GRADIENT_INL_H_
#undef FOVEA_KERNELS_ATTENTION_GRADIENT_INL_H_
#else
#define FOVEA_KERNELS_ATTENTION_GRADIENT_INL_H_
#endif

#include <hwy/highway.h>

#include "fovea/kernels/attention_block-inl.h"
#include "fovea/kernels/attention_tile-inl.h"
#include "fovea/kernels/random-inl.h"
#include "fovea/kernels/view.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels {
namespace HWY_NAMESPACE {
namespace {

constexpr int kKeys = 192;  // in a block: whole panels and whole tiles
constexpr int kStride = kKeys + kPanel;

HWY_INLINE float dot(const float* a, const float* b, int64_t count) {
  Vector sum0 = hn::Zero(kFloats), sum1 = sum0;
  int64_t i = 0;
  for (; i + 2 * kLanes <= count; i += 2 * kLanes) {
    sum0 =
        hn::MulAdd(hn::LoadU(kFloats, a + i), hn::LoadU(kFloats, b + i), sum0);
    sum1 = hn::MulAdd(hn::LoadU(kFloats, a + i + kLanes),
                      hn::LoadU(kFloats, b + i + kLanes), sum1);
  }
  float sum = hn::GetLane(hn::SumOfLanes(kFloats, hn::Add(sum0, sum1)));
  for (; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

// What a row needs to turn scores into weights and their gradients.
struct RowTerms {
  float log_sum, mean;
  float factor;         // of the scores, if they are not scaled yet
  float scale;          // of the gradients of the scores
  const float* slopes;  // of a score function, or none
  const Dropper* drop;  // or none
  uint32_t index;       // of the row's first weight in the block
  // The row sees one key in all: its weight is 1 whatever the score, and the
  // gradient of the score is 0, not what rounding leaves of dp - mean.
  bool single;
};

// Zeros x before and after the keys that a row sees. Neighbouring rows see
// ranges that are one key apart, and products read groups of kTileRows or keys:
// what lies further away is never read. Unless a mask of one's own says
// otherwise: then `reach` is the whole width.
HWY_INLINE void clear_edges(float* x, KeyRange keys, int width,
                            int reach = kPanel) {
  const int begin = std::min(keys.begin, width);
  const int end = std::min(keys.end, width);
  for (int j = std::max(0, begin - reach); j < begin; ++j) x[j] = 0.0f;
  for (int j = end; j < std::min(width, end + reach); ++j) x[j] = 0.0f;
}

// The mean of dp, weighed by p: with p and dp of a row, no need to read what
// attention gave.
HWY_INLINE float weighed_mean(const float* p, const float* dp, KeyRange keys) {
  Vector sum = hn::Zero(kFloats);
  int j = keys.begin;
  for (; j + kLanes <= keys.end; j += kLanes) {
    sum =
        hn::MulAdd(hn::LoadU(kFloats, p + j), hn::LoadU(kFloats, dp + j), sum);
  }
  float mean = hn::GetLane(hn::SumOfLanes(kFloats, sum));
  for (; j < keys.end; ++j) mean += p[j] * dp[j];
  return mean;
}

// p: scores to weights (after dropout); dp: gradients of the weights to
// gradients of the scores.
HWY_INLINE void weigh_row(float* p, float* dp, KeyRange keys, int width,
                          const RowTerms& row) {
  const int begin = keys.begin / kPanel * kPanel;
  const int end = keys.empty() ? begin : round_up(keys.end, kPanel);
  const Vector log_sum = hn::Set(kFloats, row.log_sum);
  const Vector mean = hn::Set(kFloats, row.mean);
  const Vector scale = hn::Set(kFloats, row.scale);
  for (int j = begin; j < end; j += kLanes) {
    const Vector weight = exp2(hn::Sub(hn::LoadU(kFloats, p + j), log_sum));
    Vector d_weight = hn::LoadU(kFloats, dp + j);
    Vector mixed = weight;
    if (row.drop) {
      const uint32_t index = row.index + static_cast<uint32_t>(j);
      d_weight = (*row.drop)(kFloats, d_weight, index);
      mixed = (*row.drop)(kFloats, weight, index);
    }
    Vector d_score = hn::Mul(hn::Mul(weight, scale), hn::Sub(d_weight, mean));
    if (row.slopes) {
      d_score = hn::Mul(d_score, hn::LoadU(kFloats, row.slopes + j));
    }
    hn::StoreU(mixed, kFloats, p + j);
    hn::StoreU(d_score, kFloats, dp + j);
  }
  if (row.single && !keys.empty()) dp[keys.begin] = 0.0f;
  const int reach = row.slopes ? width : kPanel;
  clear_edges(p, keys, width, reach);
  clear_edges(dp, keys, width, reach);
}

// weigh_row() for a row that has all its keys here, without dropout: it needs
// no mean, and scales the scores itself.
HWY_INLINE void weigh_whole_row(float* p, float* dp, KeyRange keys, int width,
                                const RowTerms& row) {
  const int begin = keys.begin / kPanel * kPanel;
  const int end = keys.empty() ? begin : round_up(keys.end, kPanel);
  const Vector log_sum = hn::Set(kFloats, row.log_sum);
  const Vector factor = hn::Set(kFloats, row.factor);
  for (int j = begin; j < end; j += kLanes) {
    const Vector score = hn::LoadU(kFloats, p + j);
    hn::StoreU(exp2(hn::MulSub(score, factor, log_sum)), kFloats, p + j);
  }
  clear_edges(p, keys, width);
  const Vector mean = hn::Set(kFloats, weighed_mean(p, dp, keys));
  const Vector scale = hn::Set(kFloats, row.scale);
  for (int j = begin; j < end; j += kLanes) {
    const Vector weight = hn::Mul(hn::LoadU(kFloats, p + j), scale);
    const Vector d_weight = hn::LoadU(kFloats, dp + j);
    hn::StoreU(hn::Mul(weight, hn::Sub(d_weight, mean)), kFloats, dp + j);
  }
  if (row.single && !keys.empty()) dp[keys.begin] = 0.0f;
  clear_edges(dp, keys, width);
}

// c = a b or c += a b for up to kTileRows rows and one panel.
template <Begin kBegin>
HWY_INLINE void multiply_tile(int rows, const Product& product) {
  with_rows(rows, [&](auto n) { tile<n, 1, kBegin>(product); });
}

// c = a^T b or c += a^T b, where row i of a is nonzero for rows.keys[i] only.
template <Begin kBegin>
HWY_INLINE void multiply_transposed(const float* a, Right b,
                                    const BlockRows& rows, int keys, int width,
                                    Result c) {
  const RowGroups groups(keys);
  for (int g = 0; g < groups.count(); ++g) {
    const int first = groups.first(g);
    int i0 = 0, i1 = rows.count;
    while (i0 < i1 && rows.keys[i0].end <= first) ++i0;
    while (i1 > i0 && rows.keys[i1 - 1].begin >= groups.end(g)) --i1;
    if (i0 == i1 && kBegin == Begin::kSum) continue;
    const Left left{a + i0 * kStride + first, 1, kStride};
    for (int x = 0; x < width; x += kPanel) {
      multiply_tile<kBegin>(
          groups.rows(g),
          {left, b.columns_from(x).inner_from(i0), i1 - i0, c.from(first, x)});
    }
  }
}

// c = a b or c += a b, where row r of a is nonzero for rows.keys[r] only.
template <Begin kBegin>
HWY_INLINE void multiply(const float* a, Right b, const BlockRows& rows,
                         int width, Result c) {
  const RowGroups& groups = rows.groups;
  for (int x = 0; x < width; x += kPanel) {
    for (int g = 0; g < groups.count(); ++g) {
      const KeyRange keys = rows.joined[g];
      if (keys.empty() && kBegin == Begin::kSum) continue;
      const int first = groups.first(g);
      multiply_tile<kBegin>(groups.rows(g),
                            {{a + first * kStride + keys.begin, kStride, 1},
                             b.columns_from(x).inner_from(keys.begin),
                             keys.empty() ? 0 : keys.end - keys.begin,
                             c.from(first, x)});
    }
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fovea::kernels
HWY_AFTER_NAMESPACE();

#endif  // FOVEA_KERNELS_ATTENTION_GRADIENT_INL_H_
