#pragma once

#include <limits>
#include <optional>

#include "fovea/autograd/pairs.h"
#include "fovea/layers/params.h"

namespace fovea {

// What a score gives for each pair.
enum class ScoreKind {
  kScore,          // any number; minus infinity hides the key
  kLogSimilarity,  // the logarithm of a similarity >= 0
  kWeight,         // weights already: no normaliser follows
};

// How well a query and a key fit (SPEC A). One part of an attention. The rows
// of queries and keys are made ready once, apart from each other; then each
// pair gets a number.
class Score {
 public:
  virtual ~Score() = default;
  virtual void params(Params&) {}

  // True if queries and keys need no projection: it has matrices of its own,
  // or none makes sense.
  virtual bool projects() const { return false; }
  virtual Var prepare_queries(const Var& rows) const { return rows; }
  virtual Var prepare_keys(const Var& rows) const { return rows; }

  // Set if the score is this factor times the dot product of the prepared rows:
  // what the fused kernel can compute.
  virtual std::optional<float> dot_scale() const { return {}; }
  virtual ScoreKind kind() const { return ScoreKind::kScore; }
  // Keys beyond are ignored: it knows only so many places.
  virtual int longest() const { return std::numeric_limits<int>::max(); }
  virtual bool uses_coverage() const { return false; }

  // Of prepared rows. `coverage` is a number for each pair, or empty. The
  // default is the dot product.
  virtual Var score(const Var& q, const Var& k, const Pairs& pairs,
                    const Var& coverage) const;
};

// The rows that a score gets, for its constructor.
struct ScoreSizes {
  int heads = 1, key_heads = 1;
  int query = 0, key = 0;  // width of a row, all heads together
};

}  // namespace fovea
