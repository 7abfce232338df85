#pragma once

#include "fovea/attend/registry.h"

namespace fovea {

// A gate for each key, p = sigmoid(U h'), h' being Source::extra or else the
// keys (GA-Net: Xue, Li and Zhang 2020, SPEC B10). In training gates are
// relaxed and enter the scores as log g, and as far as all gates of a sequence
// are closed its keys count alike; the mean of g goes to Pass::losses as
// "gate_sparsity", and its weight there is the paper's lambda. Outside of
// training the memory keeps the keys behind open gates only. A trace may ask
// for how likely each gate is open: the record "gate" of the layer.
std::unique_ptr<Select> make_gated(const PartContext& context);

// The share of keys whose gate is open; 1 for a memory that keeps all.
double gate_density(const Memory& memory);

}  // namespace fovea
