#pragma once

#include "fovea/attend/registry.h"

namespace fovea {

// Softmax over the k largest scores of a row, of equal ones the first (SPEC
// A15). Option: k.
std::unique_ptr<Normaliser> make_topk(const PartContext& context);

}  // namespace fovea
