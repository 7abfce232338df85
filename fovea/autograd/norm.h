#pragma once

#include "fovea/autograd/var.h"
#include "fovea/base/rng.h"

namespace fovea {

struct Norm {
  enum class Kind { kLayer, kRms };
  Var gain = {};  // [D], or empty for 1
  Var bias = {};  // [D], or empty for 0
  float epsilon = 1e-5f;
  Kind kind = Kind::kLayer;
};

// Over the last axis of x [..., D].
Var norm(const Var& x, const Norm& norm);
Var layer_norm(const Var& x, const Var& gain, const Var& bias,
               float epsilon = 1e-5f);
Var rms_norm(const Var& x, const Var& gain, float epsilon = 1e-5f);

// sum = x + dropout(f), normed = norm(sum), in one pass over memory, backward
// too. Post-norm networks go on with `normed`, pre-norm ones with both.
struct Residual {
  Var sum, normed;
};
Residual residual_dropout_norm(const Var& x, const Var& f, float rate,
                               RandomKey key, const Norm& norm);

}  // namespace fovea
