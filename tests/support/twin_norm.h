#pragma once

#include "fovea/base/rng.h"
#include "support/gradients.h"

namespace fovea::testing {

// Slow double-precision twin of layer norm and RMS norm over rows of `cols`.
struct TwinNorm {
  int cols;
  bool rms = false;
  double epsilon = 1e-5;

  Doubles operator()(const Doubles& x, const Doubles& gain,
                     const Doubles& bias) const;
  struct Gradients {
    Doubles x, gain, bias;
  };
  Gradients backward(const Doubles& x, const Doubles& gain,
                     const Doubles& dy) const;
};

// The dropout law, from the scalar random bits.
Doubles twin_dropout(const Doubles& x, float rate, RandomKey key);

}  // namespace fovea::testing
