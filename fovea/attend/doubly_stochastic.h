#pragma once

#include "fovea/attend/attention.h"

namespace fovea {

// SPEC B14: asks that over all steps every key gets a weight of 1 in sum (Xu et
// al. 2015): the mean over sequences (and heads) of
//   sum_i (1 - sum_t alpha_ti)^2.
// `keys` are the sequences that were remembered. One number, to be pushed to
// Pass::losses as "doubly_stochastic".
Var doubly_stochastic_loss(const Weights& weights, const Segments& keys);

}  // namespace fovea
