#pragma once

#include "fovea/attend/registry.h"

namespace fovea {

// 1 / (1 + exp(-e)): the weights of a row need not sum to 1 (SPEC A14).
std::unique_ptr<Normaliser> make_sigmoid(const PartContext& context);

}  // namespace fovea
