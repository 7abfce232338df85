#pragma once

#include "fovea/attend/registry.h"

namespace fovea {

// A code for each position, added to queries and keys before their projection,
// not to values: learned (SPEC C2) or of sines (C3). What is added once to the
// embeddings, for all layers, is in embed/position.h.
std::unique_ptr<Position> make_learned_position(const PartContext& context);
std::unique_ptr<Position> make_sinusoidal_position(const PartContext& context);

}  // namespace fovea
