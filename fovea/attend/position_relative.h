#pragma once

#include "fovea/attend/registry.h"

namespace fovea {

// Learned vectors for how far a key stands from the query, one added to the key
// and one to the value (Shaw et al. 2018, SPEC C5). The distance is cut at
// +-`reach`; Queries::relation gives other relations instead.
std::unique_ptr<Position> make_relative_position(const PartContext& context);

}  // namespace fovea
