#pragma once

#include <span>

#include "support/gradients.h"

namespace fovea::testing {

struct TwinSmoothing {
  double eps = 0;
  bool all_classes = false;  // eps / V on all, else eps / (V-1) on the wrong
};

// The target distribution of one row.
Doubles twin_smoothed_target(int classes, int target, TwinSmoothing smoothing);

// Loss of each row of logits [N,V]; a negative target gives 0.
Doubles twin_cross_entropy(const Doubles& logits, int classes,
                           std::span<const int> targets,
                           TwinSmoothing smoothing);
// Its gradient for dy [N].
Doubles twin_cross_entropy_gradient(const Doubles& logits, int classes,
                                    std::span<const int> targets,
                                    TwinSmoothing smoothing, const Doubles& dy);

}  // namespace fovea::testing
