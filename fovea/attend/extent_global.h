#pragma once

#include "fovea/attend/registry.h"

namespace fovea {

// Every key (SPEC B1).
std::unique_ptr<Extent> make_global_extent(const PartContext& context);

}  // namespace fovea
