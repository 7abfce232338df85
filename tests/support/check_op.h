#pragma once

#include <functional>
#include <vector>

#include "fovea/autograd/var.h"
#include "support/gradients.h"

namespace fovea::testing {

using Op = std::function<Var(const std::vector<Var>& inputs)>;

// Compares an op with its slow twin: the result, and the gradients of all
// inputs for a random dy against central differences of the twin; then the op
// used twice, whose gradients must add up. No gradient counts as 0. `floor` is
// that of close() for gradients: what counts as large where they all are 0 but
// for rounding.
void check_op(const Op& op, const Twin& twin, const std::vector<Tensor>& inputs,
              double tolerance = 1e-5, double floor = 1e-3);

}  // namespace fovea::testing
