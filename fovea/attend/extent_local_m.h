#pragma once

#include "fovea/attend/registry.h"

namespace fovea {

// The keys at most `window` away from the query's position, which stops at the
// last key (SPEC B2; local-m of Luong et al. 2015).
std::unique_ptr<Extent> make_local_m_extent(const PartContext& context);

}  // namespace fovea
