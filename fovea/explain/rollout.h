#pragma once

#include <vector>

#include "fovea/tensor/tensor.h"

// How much of each input reaches each position, through all layers of
// self-attention (Abnar & Zuidema 2020, SPEC E7). Layers are weights [T,T] with
// rows that sum to 1, heads averaged, the bottom layer first; the residual
// connection counts as much as attention.
namespace fovea {

// For each layer, what of the inputs is in its positions: [T,T], rows sum to 1.
std::vector<Tensor> attention_rollout(const std::vector<Tensor>& layers);

// The largest flow from position `row` of the top layer to each input, where
// weights are the capacities of what joins two layers. [T]
std::vector<float> attention_flow(const std::vector<Tensor>& layers,
                                  int64_t row);

}  // namespace fovea
