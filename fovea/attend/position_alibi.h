#pragma once

#include <vector>

#include "fovea/attend/registry.h"

namespace fovea {

// Slopes for any number of heads (SPEC C4): powers of 2^(-8/n) for n a power of
// two; otherwise those of the next smaller power, then every other one of the
// next larger.
std::vector<float> alibi_slopes(int heads);

// Scores fall along a line with the distance, -slope |i - j|, a slope for each
// head (Press et al. 2022).
std::unique_ptr<Position> make_alibi_position(const PartContext& context);

}  // namespace fovea
