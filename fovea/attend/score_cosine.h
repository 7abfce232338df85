#pragma once

#include "fovea/attend/registry.h"

namespace fovea {

// beta q.k / (|q| |k|), head by head (SPEC A7; Graves et al. 2014). The
// sharpening beta is a number, or learned: the softplus of a linear function of
// the query, one for each head. A vector not longer than 1e-8 counts as zero:
// its score is 0.
std::unique_ptr<Score> make_cosine_score(const PartContext& context);

}  // namespace fovea
