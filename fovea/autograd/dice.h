#pragma once

#include "fovea/autograd/var.h"

namespace fovea {

// Soft Dice loss of probabilities p against a mask t of the same shape, one
// number: 1 - (2 sum(p t) + smooth) / (sum(p) + sum(t) + smooth). The mask is
// data: it gets no gradient.
Var soft_dice(const Var& p, const Tensor& t, float smooth = 1.0f);

}  // namespace fovea
