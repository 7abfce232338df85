#pragma once

#include "support/twin_pairs.h"

namespace fovea::testing {

// Additive scores in double precision (SPEC A5, B16). The inputs are q, k, v
// and, if there is coverage, also it and its weight.
Doubles twin_additive(const TwinPairs& pairs,
                      const std::vector<Doubles>& inputs);
// A gradient for each input.
std::vector<Doubles> twin_additive_gradient(const TwinPairs& pairs,
                                            const std::vector<Doubles>& inputs,
                                            const Doubles& ds);

}  // namespace fovea::testing
