#pragma once

#include "fovea/attend/registry.h"

namespace fovea {

// Turns queries and keys by their positions, so that their product depends on
// the distance alone (Su et al. 2021, SPEC C6).
std::unique_ptr<Position> make_rotary_position(const PartContext& context);

}  // namespace fovea
