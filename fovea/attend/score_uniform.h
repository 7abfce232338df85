#pragma once

#include "fovea/attend/registry.h"

namespace fovea {

// 0 for every key: the mean of the values (SPEC D24), for comparison with
// scores that look at queries and keys.
std::unique_ptr<Score> make_uniform_score(const PartContext& context);

}  // namespace fovea
