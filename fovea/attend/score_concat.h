#pragma once

#include "fovea/attend/score_tanh.h"

namespace fovea {

// v^T tanh(W [q; k]) (SPEC A6): the additive score with its two matrices side
// by side in one.
std::unique_ptr<Score> make_concat_score(const PartContext& context);

// v^T tanh(W q + k): what Luong et al. 2015 ran under this name, with the part
// of W that meets the keys fixed to the identity. The width of a head inside
// the tanh is that of the keys.
std::unique_ptr<Score> make_concat_identity_source_score(
    const PartContext& context);

}  // namespace fovea
