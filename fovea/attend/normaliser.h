#pragma once

#include "fovea/attend/score.h"
#include "fovea/autograd/pairs.h"

namespace fovea {

// Makes weights of the scores of a row (SPEC A14, A15). One part of an
// attention.
class Normaliser {
 public:
  virtual ~Normaliser() = default;

  // The same shape. Scores of minus infinity get weight 0; a row that has no
  // other score gets zeros.
  virtual Var weights(const Var& scores, const Pairs& pairs) const = 0;
  virtual bool takes(ScoreKind kind) const { return kind == ScoreKind::kScore; }
  virtual bool is_softmax() const { return false; }
  // > 0: softmax over this many of the largest scores.
  virtual int top() const { return 0; }
};

}  // namespace fovea
