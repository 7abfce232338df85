#pragma once

#include <memory>

#include "fovea/autograd/deferred_weight.h"
#include "fovea/autograd/var.h"
#include "fovea/kernels/epilogue.h"
#include "fovea/kernels/weight_matrix.h"

namespace fovea {

using kernels::Activation;

// activation(x weight^T + bias): x [N,in], weight [out,in], bias [out] or
// empty. Without an activation the result is not kept for backward.
Var linear(const Var& x, const Var& weight, const Var& bias = {},
           Activation activation = Activation::kNone);

// The same for inference, with a weight that was packed or quantised once: a
// row of the result does not depend on the others. Throws if x has a history,
// for there is no gradient.
Var linear(const Var& x, const kernels::WeightMatrix& weight,
           const Var& bias = {}, Activation activation = Activation::kNone);

// A weight made ready for a loop that multiplies by it once a step: packed once
// for all steps, its gradient one product after the last. Of one graph.
struct LoopWeight {
  kernels::WeightMatrix forward;
  // Where something is recorded:
  kernels::WeightMatrix backward;  // x -> x W
  DeferredWeight weight;
};
std::shared_ptr<const LoopWeight> loop_weight(const Var& weight);
Var linear(const Var& x, const std::shared_ptr<const LoopWeight>& weight,
           const Var& bias = {}, Activation activation = Activation::kNone);

// op(a) op(b), where op transposes or does nothing. Both are matrices.
struct Transposes {
  bool a = false;
  bool b = false;
};
Var matmul(const Var& a, const Var& b, Transposes transposes = {});

}  // namespace fovea
