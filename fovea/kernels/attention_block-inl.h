// The steps of attention on a tile of queries and a block of keys, for the part
// of a kernel that Highway compiles once for each instruction set.

// Highway's include guard: once for each instruction set.
#if defined(FOVEA_KERNELS_ATTENTION_BLOCK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_KERNELS_ATTENTION_BLOCK_INL_H_
#undef FOVEA_KERNELS_ATTENTION_BLOCK_INL_H_
#else
#define FOVEA_KERNELS_ATTENTION_BLOCK_INL_H_
#endif

#include <hwy/highway.h>

#include <limits>

#include "fovea/kernels/attention_plan.h"
#include "fovea/kernels/attention_tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels {
namespace HWY_NAMESPACE {
namespace {

constexpr int kQueries = 48;  // in a tile
constexpr float kLog2E = 1.44269504f;
constexpr float kLn2 = 0.693147181f;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// The keys of one block that each row of a tile sees, counted from the block.
struct BlockRows {
  int count;
  KeyRange keys[kQueries];

  BlockRows(const KeyRange* ranges, int count_, KeyRange block)
      : count(count_) {
    for (int r = 0; r < count; ++r) {
      const KeyRange cut = ranges[r].cut(block.begin, block.end);
      keys[r] = {cut.begin - block.begin, cut.end - block.begin};
    }
  }
  KeyRange joined(int first, int end) const {
    KeyRange all;
    for (int r = first; r < end; ++r) all = all.joined(keys[r]);
    return all;
  }
};

template <int kRows, int kPanels>
HWY_NOINLINE void score_tile(Left q, Right k, int64_t size, Result s) {
  tile<kRows, kPanels, Begin::kZero>(q, k, size, s);
}

// The same for one row: four panels at once, or the chain of one has to wait
// for every addition.
HWY_INLINE void score_row(Left q, Right k, int64_t size, KeyRange keys,
                          Result s) {
  int j = keys.begin / kPanel * kPanel;
  for (; j + 3 * kPanel < keys.end; j += 4 * kPanel) {
    score_tile<1, 4>(q, k.columns_from(j), size, s.from(0, j));
  }
  for (; j < keys.end; j += kPanel) {
    score_tile<1, 1>(q, k.columns_from(j), size, s.from(0, j));
  }
}

// s = q k^T, wherever a group of rows sees any of 16 keys.
HWY_INLINE void score_block(Left q, Right k, int64_t size,
                            const BlockRows& rows, Result s) {
  if (rows.count == 1) return score_row(q, k, size, rows.keys[0], s);
  KeyRange groups[kQueries];
  for_row_groups(rows.count, [&](int first, int end) {
    groups[first] = rows.joined(first, end);
  });
  const KeyRange all = rows.joined(0, rows.count);
  for (int j = all.begin / kPanel * kPanel; j < all.end; j += kPanel) {
    const Right panel = k.columns_from(j);
    for_row_groups(rows.count, [&](int first, int end) {
      if (groups[first].cut(j, j + kPanel).empty()) return;
      with_rows(end - first, [&](auto n) {
        score_tile<n, 1>(q.rows_from(first), panel, size, s.from(first, j));
      });
    });
  }
}

// Turns the finished scores of a row in a block into 2^(score - max), updates
// max and sum and says by what the earlier sums shrink (SPEC Z11).
HWY_INLINE float soften_row(float* s, KeyRange keys, float* max, float* sum) {
  const int begin = keys.begin / kPanel * kPanel;
  const int end = round_up(keys.end, kPanel);
  for (int j = begin; j < keys.begin; ++j) s[j] = -kInfinity;
  for (int j = keys.end; j < end; ++j) s[j] = -kInfinity;
  Vector top0 = hn::Set(kFloats, *max), top1 = top0;
  for (int j = begin; j < end; j += 2 * kLanes) {
    top0 = hn::Max(top0, hn::LoadU(kFloats, s + j));
    top1 = hn::Max(top1, hn::LoadU(kFloats, s + j + kLanes));
  }
  const Vector top = hn::MaxOfLanes(kFloats, hn::Max(top0, top1));
  // Scores may all be minus infinity; then every weight is 0.
  const Vector none = hn::Set(kFloats, -kInfinity);
  const Vector shift = hn::IfThenZeroElse(hn::Eq(top, none), top);
  Vector sum0 = hn::Zero(kFloats), sum1 = sum0;
  for (int j = begin; j < end; j += 2 * kLanes) {
    const Vector p0 = exp2(hn::Sub(hn::LoadU(kFloats, s + j), shift));
    const Vector p1 = exp2(hn::Sub(hn::LoadU(kFloats, s + j + kLanes), shift));
    sum0 = hn::Add(sum0, p0);
    sum1 = hn::Add(sum1, p1);
    hn::StoreU(p0, kFloats, s + j);
    hn::StoreU(p1, kFloats, s + j + kLanes);
  }
  const float factor =
      hn::GetLane(exp2(hn::Sub(hn::Set(kFloats, *max), shift)));
  const float total = hn::GetLane(hn::SumOfLanes(kFloats, hn::Add(sum0, sum1)));
  *sum = *sum * factor + total;
  *max = hn::GetLane(top);
  return factor;
}

template <int kRows, int kPanels>
HWY_NOINLINE void mix_tile(Left p, Right v, KeyRange keys, Result o,
                           const float* factors) {
  tile<kRows, kPanels, Begin::kScaledSum>(p.inner_from(keys.begin),
                                          v.inner_from(keys.begin),
                                          keys.end - keys.begin, o, factors);
}

// o = factor * o + p v for a group of rows and one panel of values. A row never
// touches a value that it does not see: 0 times infinity would be a NaN. So
// what only some rows see is added row by row, in the order of the keys.
HWY_INLINE void mix_group(Left p, Right v, const KeyRange* keys, int count,
                          Result o, const float* factors) {
  constexpr float kOne = 1.0f;
  KeyRange common = keys[0];
  for (int r = 1; r < count; ++r) {
    common = common.cut(keys[r].begin, keys[r].end);
  }
  const auto mix_row = [&](int r, KeyRange range, const float* factor) {
    if (range.empty()) return;
    mix_tile<1, 1>(p.rows_from(r), v, range, o.from(r, 0), factor);
  };
  if (common.empty()) {
    for (int r = 0; r < count; ++r) mix_row(r, keys[r], factors + r);
    return;
  }
  float rest[kTileRows];
  for (int r = 0; r < count; ++r) {
    const bool earlier = keys[r].begin < common.begin;
    rest[r] = earlier ? 1.0f : factors[r];
    if (earlier) mix_row(r, {keys[r].begin, common.begin}, factors + r);
  }
  with_rows(count, [&](auto n) { mix_tile<n, 1>(p, v, common, o, rest); });
  for (int r = 0; r < count; ++r) {
    mix_row(r, {common.end, keys[r].end}, &kOne);
  }
}

// o = factor * o + p v for a tile; o has `width` columns, a multiple of 16.
HWY_INLINE void mix_block(Left p, Right v, const BlockRows& rows, int width,
                          Result o, const float* factors) {
  int c = 0;
  if (rows.count == 1 && !rows.keys[0].empty()) {
    for (; c + 4 * kPanel <= width; c += 4 * kPanel) {
      mix_tile<1, 4>(p, v.columns_from(c), rows.keys[0], o.from(0, c), factors);
    }
  }
  for (; c < width; c += kPanel) {
    for_row_groups(rows.count, [&](int first, int end) {
      mix_group(p.rows_from(first), v.columns_from(c), rows.keys + first,
                end - first, o.from(first, c), factors + first);
    });
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fovea::kernels
HWY_AFTER_NAMESPACE();

#endif  // FOVEA_KERNELS_ATTENTION_BLOCK_INL_H_
