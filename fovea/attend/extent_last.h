#pragma once

#include "fovea/attend/registry.h"

namespace fovea {

// Only the last key (SPEC D24): where keys are the states of a recurrent
// encoder, the one that has read the whole sequence. Not causal.
std::unique_ptr<Extent> make_last_extent(const PartContext& context);

}  // namespace fovea
