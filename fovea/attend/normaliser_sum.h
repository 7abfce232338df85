#pragma once

#include "fovea/attend/registry.h"

namespace fovea {

// Similarities divided by their sum (SPEC A10, A14). It gets their logarithms;
// 1e30 among them stands for an exact hit: all of these share the weight.
std::unique_ptr<Normaliser> make_sum(const PartContext& context);

}  // namespace fovea
