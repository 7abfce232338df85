#pragma once

#include "fovea/attend/registry.h"

namespace fovea {

// A look-up (SPEC A9): 0 where query and key are equal number by number, else
// the key is hidden, so that a query without an equal key gives an empty row.
// Several equal keys share the weight, or the first one has it. It looks at the
// rows as they come, without a projection, and has no gradient.
std::unique_ptr<Score> make_exact_score(const PartContext& context);

}  // namespace fovea
