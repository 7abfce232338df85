#pragma once

#include "support/gradients.h"

// Slow double-precision twins of softmax over rows of the given lengths that
// lie one after another; minus infinity is a masked entry.
namespace fovea::testing {

Doubles twin_softmax(const Doubles& x, const std::vector<int>& lengths);
Doubles twin_softmax_backward(const Doubles& x, const Doubles& dy,
                              const std::vector<int>& lengths);
Doubles twin_log_softmax(const Doubles& x, const std::vector<int>& lengths);
Doubles twin_log_softmax_backward(const Doubles& x, const Doubles& dy,
                                  const std::vector<int>& lengths);

}  // namespace fovea::testing
