#pragma once

#include "fovea/layers/linear.h"
#include "fovea/layers/pass.h"
#include "fovea/predict/registry.h"

namespace fovea {

// maxout(U s + V E y + C c) of a state, the word and a context (SPEC D4).
class MaxoutReadout {
 public:
  MaxoutReadout() = default;
  // Widths of a word and of a context; the rest is the config's.
  MaxoutReadout(const DecoderConfig& config, int words, int context,
                RandomKey key);

  Var operator()(const Var& state, const Var& words, const Var& context,
                 const Pass& pass) const;
  int width() const { return width_; }
  void params(Params& p) { p("joined", joined_); }

 private:
  int width_ = 0;
  float dropout_ = 0.0f;
  Linear joined_;  // [U V C]
};

}  // namespace fovea
