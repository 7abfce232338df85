#pragma once

#include <cstdint>

#include "fovea/kernels/key_range.h"

namespace fovea::kernels {

// Scores of one head: some queries of a span against a block of its keys.
// Column j of row r is the pair of the query at position query + r and the key
// at position key + j.
struct ScoreTile {
  int sequence = 0, head = 0;    // index of the span, query head
  int query = 0, query_row = 0;  // of the first row: position, row of q
  int key = 0, key_row = 0;      // of the first column: position, row of k
  int rows = 0;
  KeyRange* keys = nullptr;  // [rows]: the columns that each row sees
  bool* holes = nullptr;     // [rows]: some columns between them are hidden
  float* scores = nullptr;   // row r begins at r * stride
  float* slopes = nullptr;   // the same, or none: derivatives by the score
  int64_t stride = 0;
  float unit = 1.0f;  // changed scores are multiplied by this
};

// Somebody's own scores and mask, called by fused attention once for a tile.
// custom_score() makes one of two plain callables. Threads share it: a call
// changes nothing but the tile.
class ScoreFunction {
 public:
  virtual ~ScoreFunction() = default;
  // Before the products: shrinks `keys` to the first and the last one that the
  // mask lets a row see, and says where there are holes between them. What no
  // row of a tile sees is not computed.
  virtual void hide(const ScoreTile& tile) const = 0;
  // After the products: replaces the scores in `keys` by unit times the changed
  // ones, minus infinity in holes; and writes slopes, zero in holes.
  virtual void change(const ScoreTile& tile) const = 0;
};

}  // namespace fovea::kernels
