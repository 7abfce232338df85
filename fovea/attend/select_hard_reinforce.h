#pragma once

#include "fovea/attend/registry.h"

namespace fovea {

// One key for each row and head, drawn by the weights (Xu et al. 2015, SPEC
// B4). What was drawn goes to Pass::choices: see reinforce.h for how it learns.
std::unique_ptr<Select> make_hard_reinforce(const PartContext& context);

}  // namespace fovea
