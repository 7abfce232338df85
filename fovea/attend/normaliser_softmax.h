#pragma once

#include "fovea/attend/registry.h"

namespace fovea {

// exp(e) / sum of exp(e) (SPEC Z3). Where the score is the logarithm of a
// similarity, e is the similarity itself (A10).
std::unique_ptr<Normaliser> make_softmax(const PartContext& context);

}  // namespace fovea
