// What is done to the scores of a block before the softmax: distance bias and
// somebody's own function, for the part of a kernel that Highway compiles once
// for each instruction set.

// Highway's include guard: once for each instruction set.
#if defined(FOVEA_KERNELS_ATTENTION_SCORE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_KERNELS_ATTENTION_SCORE_INL_H_
#undef FOVEA_KERNELS_ATTENTION_SCORE_INL_H_
#else
#define FOVEA_KERNELS_ATTENTION_SCORE_INL_H_
#endif

#include <hwy/highway.h>

#include "fovea/kernels/attention_block-inl.h"
#include "fovea/kernels/attention_tile-inl.h"
#include "fovea/kernels/score_function.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels {
namespace HWY_NAMESPACE {
namespace {

// Some queries of one head of one span, and a block of its keys.
struct ScoreBlock {
  const AttentionOptions& options;
  const AttentionSpan& span;
  int index;  // of the span
  int head;
  int first;  // of the queries
  int key;    // the first

  // The position of the first query, counted from the block.
  int position() const { return span.position + first - key; }
};

// The softmax is to base 2. log2(e) is in the scale of the queries, or comes
// with what a function of one's own makes of the scores.
HWY_INLINE float query_scale(const AttentionOptions& options) {
  return options.score ? options.scale : options.scale * kLog2E;
}

HWY_INLINE ScoreTile own_tile(const ScoreBlock& block, BlockRows& rows) {
  ScoreTile tile;
  tile.sequence = block.index;
  tile.head = block.head;
  tile.query = block.span.position + block.first;
  tile.query_row = block.span.query + block.first;
  tile.key = block.key;
  tile.key_row = block.span.key + block.key;
  tile.rows = rows.count;
  tile.keys = rows.keys;
  tile.holes = rows.holes;
  tile.unit = kLog2E;
  return tile;
}

// Takes away what somebody's own mask hides.
HWY_INLINE void hide_keys(const ScoreBlock& block, BlockRows& rows) {
  if (!block.options.score || rows.all.empty()) return;
  block.options.score->hide(own_tile(block, rows));
  rows.join();
}

// s: finished scores to those that the softmax gets; slopes, if wanted, the
// derivatives of one by the other.
HWY_INLINE void change_scores(const ScoreBlock& block, BlockRows& rows,
                              Result s, float* slopes = nullptr) {
  const AttentionOptions& options = block.options;
  if (!options.alibi.empty()) {
    const float slope =
        options.alibi[block.head] * (options.score ? 1.0f : kLog2E);
    for (int r = 0; r < rows.count; ++r) {
      if (rows.keys[r].empty()) continue;
      add_distance_bias(s.from(r, 0).data, rows.keys[r].begin / kPanel * kPanel,
                        round_up(rows.keys[r].end, kPanel), slope,
                        static_cast<float>(block.position() + r));
    }
  }
  if (!options.score) return;
  ScoreTile tile = own_tile(block, rows);
  tile.scores = s.data;
  tile.slopes = slopes;
  tile.stride = s.row;
  options.score->change(tile);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fovea::kernels
HWY_AFTER_NAMESPACE();

#endif  // FOVEA_KERNELS_ATTENTION_SCORE_INL_H_
