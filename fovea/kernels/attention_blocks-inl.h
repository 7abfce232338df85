// The blocks of keys over which a forward pass of attention goes, for the part
// of a kernel that Highway compiles once for each instruction set.

// Highway's include guard: once for each instruction set.
#if defined(FOVEA_KERNELS_ATTENTION_BLOCKS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_KERNELS_ATTENTION_BLOCKS_INL_H_
#undef FOVEA_KERNELS_ATTENTION_BLOCKS_INL_H_
#else
#define FOVEA_KERNELS_ATTENTION_BLOCKS_INL_H_
#endif

#include <hwy/highway.h>

#include "fovea/kernels/attention_block-inl.h"
#include "fovea/kernels/attention_plan.h"
#include "fovea/kernels/attention_score-inl.h"
#include "fovea/kernels/attention_tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels {
namespace HWY_NAMESPACE {
namespace {

// The sums of a row are grouped by these blocks of keys, counted from key 0 of
// its sequence: the law of attention_forward() rests on it.
constexpr int kBlock = 256;
// The padding keeps rows of scores out of the same cache set.
constexpr int kStride = kBlock + kPanel;

// Queries `at.first` on, packed times query_scale(), and a stretch of packed
// keys, with d_k columns.
struct ScoreOperands {
  Left q;
  int rows;  // of q, at most kQueries
  Right k;
  KeyRange keys;
  int64_t size;
};

// Calls fn(block, rows) for each block of keys that any of the queries sees,
// with the finished scores in `scores` [kQueries, kStride]. `at.key` is not
// used.
template <class Fn>
HWY_INLINE void for_score_blocks(ScoreBlock at, const ScoreOperands& x,
                                 float* scores, Fn fn) {
  KeyRange visible[kQueries], all{0, 0};
  for (int r = 0; r < x.rows; ++r) {
    visible[r] = visible_keys(at.options, at.span, at.first + r)
                     .cut(x.keys.begin, x.keys.end);
    all = all.joined(visible[r]);
  }
  for (int b = all.begin / kBlock * kBlock; b < all.end; b += kBlock) {
    const ScoreBlock block{at.options, at.span, at.index, at.head, at.first, b};
    BlockRows rows(visible, x.rows, {b, b + kBlock});
    hide_keys(block, rows);
    if (rows.all.empty()) continue;
    score_block(x.q, x.k.columns_from(b - x.keys.begin), x.size, rows,
                {scores, kStride});
    change_scores(block, rows, {scores, kStride});
    fn(b, rows);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fovea::kernels
HWY_AFTER_NAMESPACE();

#endif  // FOVEA_KERNELS_ATTENTION_BLOCKS_INL_H_
