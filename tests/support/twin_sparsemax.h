#pragma once

#include "support/gradients.h"

// Slow double-precision twins of the sparse relatives of softmax, over rows of
// the given lengths that lie one after another; minus infinity is a masked
// entry. They sort each row.
namespace fovea::testing {

Doubles twin_sparsemax(const Doubles& x, const std::vector<int>& lengths);
Doubles twin_entmax15(const Doubles& x, const std::vector<int>& lengths);
// By the full Jacobian.
Doubles twin_sparsemax_backward(const Doubles& x, const Doubles& dy,
                                const std::vector<int>& lengths);
Doubles twin_entmax15_backward(const Doubles& x, const Doubles& dy,
                               const std::vector<int>& lengths);

// Minus infinity for all but the k largest entries of each row, of equal ones
// the first.
Doubles twin_keep_topk(const Doubles& x, const std::vector<int>& lengths,
                       int k);

}  // namespace fovea::testing
