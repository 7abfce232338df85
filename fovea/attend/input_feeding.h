#pragma once

#include "fovea/layers/init.h"
#include "fovea/layers/linear.h"

namespace fovea {

// SPEC B15: a decoder that is told at each step what it attended to at the step
// before (Luong et al. 2015).
class InputFeeding {
 public:
  InputFeeding() = default;
  // Widths of the context, of the decoder's state and of the attentional
  // vector.
  InputFeeding(int context, int state, int out, RandomKey key,
               RecurrentInit init = RecurrentInit::kXavier);

  // h~ = tanh(W_c [c; h]), [M,out].
  Var attentional(const Var& context, const Var& state) const;
  // [embedding; h~ of the step before], the input of a step. `last` is empty at
  // the first one, where zeros stand for it.
  Var feed(const Var& embedding, const Var& last) const;
  // The same for the steps of one loop: see LoopWeight.
  InputFeeding looped() const;
  int width() const { return out_; }  // of the attentional vector
  void params(Params& p) { p("combine", combine_); }

 private:
  Linear combine_;
  int out_ = 0;
};

}  // namespace fovea
