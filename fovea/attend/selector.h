#pragma once

#include "fovea/layers/linear.h"

namespace fovea {

// SPEC B14: how much a step needs of the context, a scalar gate of the state
// before it (Xu et al. 2015): sigmoid(w.h + b) * context.
class Selector {
 public:
  Selector() = default;
  Selector(int state, RandomKey key) : gate_(state, 1, true, key) {}

  // context [M,D], state [M,state].
  Var operator()(const Var& context, const Var& state) const;
  void params(Params& p) { p("gate", gate_); }

 private:
  Linear gate_;
};

}  // namespace fovea
