#pragma once

#include "fovea/autograd/var.h"

// Distances of distributions that have gradients; one number, the sum over all
// rows. The numbers themselves are in eval/distribution_distance.h.
namespace fovea {

Var js_sum(const Var& p, const Var& q);
Var kl_sum(const Var& p, const Var& q);
Var absolute(const Var& x);

}  // namespace fovea
