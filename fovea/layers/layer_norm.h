#pragma once

#include "fovea/autograd/norm.h"
#include "fovea/layers/params.h"

namespace fovea {

// Over the features of a row, with a gain and a bias: 1 and 0 at first.
class LayerNorm {
 public:
  LayerNorm() = default;
  explicit LayerNorm(int width, float epsilon = 1e-6f);

  Var operator()(const Var& x) const { return norm(x, norm_); }
  const Norm& parts() const { return norm_; }  // for ops that it is fused into
  void params(Params& p);

 private:
  Norm norm_;
};

}  // namespace fovea
