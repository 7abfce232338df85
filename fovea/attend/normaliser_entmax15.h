#pragma once

#include "fovea/attend/registry.h"

namespace fovea {

// max(0, e / 2 - t)^2, where t makes the row sum to 1: between softmax and
// sparsemax (Peters, Niculae and Martins 2019, SPEC A15).
std::unique_ptr<Normaliser> make_entmax15(const PartContext& context);

}  // namespace fovea
