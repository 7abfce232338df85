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
  RowGroups groups;
  KeyRange keys[kQueries];
  bool holes[kQueries];                   // for a ScoreFunction
  KeyRange joined[kQueries / kTileRows];  // what any row of a group sees
  KeyRange all;                           // what any row sees

  BlockRows(const KeyRange* ranges, int count_, KeyRange block)
      : count(count_), groups(count_) {
    for (int r = 0; r < count; ++r) {
      const KeyRange cut = ranges[r].cut(block.begin, block.end);
      keys[r] = {cut.begin - block.begin, cut.end - block.begin};
    }
    join();
  }

  // Finds what groups see from what rows see.
  void join() {
    all = {0, 0};
    for (int g = 0; g < groups.count(); ++g) {
      joined[g] = {0, 0};
      for (int r = groups.first(g); r < groups.end(g); ++r) {
        joined[g] = joined[g].joined(keys[r]);
      }
      all = all.joined(joined[g]);
    }
  }
};

// s = q k^T for one row: four panels at once, or the chain of one has to wait
// for every addition.
HWY_INLINE void score_row(Left q, Right k, int64_t size, KeyRange keys,
                          Result s) {
  int j = keys.begin / kPanel * kPanel;
  for (; j + 3 * kPanel < keys.end; j += 4 * kPanel) {
    tile<1, 4, Begin::kZero>({q, k.columns_from(j), size, s.from(0, j)});
  }
  for (; j < keys.end; j += kPanel) {
    tile<1, 1, Begin::kZero>({q, k.columns_from(j), size, s.from(0, j)});
  }
}

// s = q k^T, wherever a group of rows sees any of 16 keys.
HWY_INLINE void score_block(Left q, Right k, int64_t size,
                            const BlockRows& rows, Result s) {
  if (rows.count == 1) return score_row(q, k, size, rows.keys[0], s);
  const RowGroups& groups = rows.groups;
  for (int j = rows.all.begin / kPanel * kPanel; j < rows.all.end;
       j += kPanel) {
    for (int g = 0; g < groups.count(); ++g) {
      if (rows.joined[g].cut(j, j + kPanel).empty()) continue;
      const int first = groups.first(g);
      with_rows(groups.rows(g), [&](auto n) {
        tile<n, 1, Begin::kZero>(
            {q.rows_from(first), k.columns_from(j), size, s.from(first, j)});
      });
    }
  }
}

// The running maximum and sum of each row of a tile, and by what the last block
// made the earlier sums shrink (SPEC Z11).
struct RunningRows {
  float *max, *sum, *factor;
};

// The largest score of a row or `max`. Hidden scores of a panel that is seen in
// part become minus infinity.
HWY_INLINE float row_max(float* s, KeyRange keys, float max) {
  const int begin = keys.begin / kPanel * kPanel;
  const int end = round_up(keys.end, kPanel);
  for (int j = begin; j < keys.begin; ++j) s[j] = -kInfinity;
  for (int j = keys.end; j < end; ++j) s[j] = -kInfinity;
  Vector top[kPanelVectors];
  for (Vector& v : top) v = hn::Set(kFloats, max);
  for (int j = begin; j < end; j += kPanel) {
    for (int x = 0; x < kPanelVectors; ++x) {
      top[x] = hn::Max(top[x], hn::LoadU(kFloats, s + j + x * kLanes));
    }
  }
  for (int x = 1; x < kPanelVectors; ++x) top[0] = hn::Max(top[0], top[x]);
  return hn::GetLane(hn::MaxOfLanes(kFloats, top[0]));
}

// s = 2^(s - shift); returns the sum.
HWY_INLINE float row_exp2(float* s, KeyRange keys, float shift) {
  const int begin = keys.begin / kPanel * kPanel;
  const int end = round_up(keys.end, kPanel);
  const Vector by = hn::Set(kFloats, shift);
  Vector sum[kPanelVectors];
  for (Vector& v : sum) v = hn::Zero(kFloats);
  for (int j = begin; j < end; j += kPanel) {
    for (int x = 0; x < kPanelVectors; ++x) {
      float* at = s + j + x * kLanes;
      const Vector p = exp2(hn::Sub(hn::LoadU(kFloats, at), by));
      sum[x] = hn::Add(sum[x], p);
      hn::StoreU(p, kFloats, at);
    }
  }
  for (int x = 1; x < kPanelVectors; ++x) sum[0] = hn::Add(sum[0], sum[x]);
  return hn::GetLane(hn::SumOfLanes(kFloats, sum[0]));
}

// Turns the finished scores of a block into 2^(score - max). Pass by pass over
// the rows: a row has a long chain of dependences, which others fill.
HWY_INLINE void soften_block(Result s, const BlockRows& rows,
                             const RunningRows& running) {
  HWY_ALIGN float top[kQueries] = {};
  HWY_ALIGN float shift[kQueries];
  for (int r = 0; r < rows.count; ++r) {
    top[r] = rows.keys[r].empty()
                 ? running.max[r]
                 : row_max(s.from(r, 0).data, rows.keys[r], running.max[r]);
  }
  for (int r = 0; r < rows.count; r += kLanes) {
    const Vector after = hn::Load(kFloats, top + r);
    // All scores so far may be minus infinity; then every weight is 0.
    const Vector none = hn::Set(kFloats, -kInfinity);
    const Vector by = hn::IfThenZeroElse(hn::Eq(after, none), after);
    hn::Store(by, kFloats, shift + r);
    hn::StoreU(exp2(hn::Sub(hn::LoadU(kFloats, running.max + r), by)), kFloats,
               running.factor + r);
  }
  for (int r = 0; r < rows.count; ++r) {
    running.max[r] = top[r];
    running.sum[r] *= running.factor[r];
    if (rows.keys[r].empty()) continue;
    running.sum[r] += row_exp2(s.from(r, 0).data, rows.keys[r], shift[r]);
  }
}

template <int kRows, int kPanels>
HWY_INLINE void mix_tile(Left p, Right v, KeyRange keys, Result o,
                         const float* factors) {
  tile<kRows, kPanels, Begin::kScaledSum>({p.inner_from(keys.begin),
                                           v.inner_from(keys.begin),
                                           keys.end - keys.begin, o, factors});
}

// o = factor * o + p v for one row.
HWY_INLINE void mix_row(Left p, Right v, KeyRange keys, int width, Result o,
                        const float* factor) {
  if (keys.empty()) return;
  int c = 0;
  for (; c + 4 * kPanel <= width; c += 4 * kPanel) {
    mix_tile<1, 4>(p, v.columns_from(c), keys, o.from(0, c), factor);
  }
  for (; c < width; c += kPanel) {
    mix_tile<1, 1>(p, v.columns_from(c), keys, o.from(0, c), factor);
  }
}

// The keys that all rows of a group see. None if it is one row: mix_row() is
// better at that.
HWY_INLINE KeyRange common_keys(const BlockRows& rows, int g) {
  const int first = rows.groups.first(g);
  KeyRange common = rows.keys[first];
  for (int r = first + 1; r < rows.groups.end(g); ++r) {
    common = common.cut(rows.keys[r].begin, rows.keys[r].end);
  }
  if (rows.groups.rows(g) == 1) common = {0, 0};
  return common;
}

// o = factor * o + p v for a tile; o has `width` columns, a multiple of 16. A
// row never touches a value that it does not see: 0 times infinity would be a
// NaN. So what only some rows of a group see is added row by row, in the order
// of the keys.
HWY_INLINE void mix_block(Left p, Right v, const BlockRows& rows, int width,
                          Result o, const float* factors) {
  constexpr float kOne = 1.0f;
  const RowGroups& groups = rows.groups;
  KeyRange common[kQueries / kTileRows];
  float rest[kQueries];
  for (int g = 0; g < groups.count(); ++g) {
    common[g] = common_keys(rows, g);
    for (int r = groups.first(g); r < groups.end(g); ++r) {
      KeyRange before = rows.keys[r];
      if (!common[g].empty()) before.end = common[g].begin;
      mix_row(p.rows_from(r), v, before, width, o.from(r, 0), factors + r);
      rest[r] = before.empty() ? factors[r] : 1.0f;
    }
  }
  for (int c = 0; c < width; c += kPanel) {
    for (int g = 0; g < groups.count(); ++g) {
      if (common[g].empty()) continue;
      const int first = groups.first(g);
      with_rows(groups.rows(g), [&](auto n) {
        mix_tile<n, 1>(p.rows_from(first), v.columns_from(c), common[g],
                       o.from(first, c), rest + first);
      });
    }
  }
  for (int g = 0; g < groups.count(); ++g) {
    if (common[g].empty()) continue;
    for (int r = groups.first(g); r < groups.end(g); ++r) {
      mix_row(p.rows_from(r), v, {common[g].end, rows.keys[r].end}, width,
              o.from(r, 0), &kOne);
    }
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fovea::kernels
HWY_AFTER_NAMESPACE();

#endif  // FOVEA_KERNELS_ATTENTION_BLOCK_INL_H_
