#pragma once

#include "fovea/attend/registry.h"

namespace fovea {

// One key for each row and head: the largest of (log weight + Gumbel noise) /
// tau. The gradient goes through the softmax of these (Jang et al. 2017, SPEC
// B5).
std::unique_ptr<Select> make_hard_gumbel(const PartContext& context);

}  // namespace fovea
