#pragma once

#include "fovea/attend/registry.h"

namespace fovea {

// max(0, e - t), where t makes the row sum to 1 (Martins and Astudillo 2016,
// SPEC A15).
std::unique_ptr<Normaliser> make_sparsemax(const PartContext& context);

}  // namespace fovea
