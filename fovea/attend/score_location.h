#pragma once

#include "fovea/attend/registry.h"

namespace fovea {

// W q, a number for each of `max-length` places: the score of a key is that of
// its place, whatever the key (SPEC A8; Luong et al. 2015). Keys beyond are
// ignored.
std::unique_ptr<Score> make_location_score(const PartContext& context);

// The same with a bias (SPEC A8b), as a well-known tutorial has it. Its query
// is [embedding; state], which the model joins. With `mask-padding` false also
// the places behind the last key take weight, which is lost: the weights of a
// short source sum to less than 1.
std::unique_ptr<Score> make_location_tutorial_score(const PartContext& context);

}  // namespace fovea
