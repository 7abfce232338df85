#pragma once

#include "fovea/attend/registry.h"

namespace fovea {

// q^T W k (SPEC A4; Luong et al. 2015), W [query width, key width]. W meets
// each key once, when it is remembered; then the score is a dot product, head
// by head. Queries and keys may differ in width.
std::unique_ptr<Score> make_general_score(const PartContext& context);

}  // namespace fovea
