#pragma once

#include "fovea/attend/score_tanh.h"

namespace fovea {

// v^T tanh(W1 k + W2 q) (SPEC A5; Bahdanau et al. 2015). W1 meets each key
// once, when it is remembered.
std::unique_ptr<Score> make_additive_score(const PartContext& context);

}  // namespace fovea
