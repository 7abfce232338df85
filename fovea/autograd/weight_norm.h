#pragma once

#include "fovea/autograd/var.h"

namespace fovea {

// w = gain v / |v| for each slice of the first axis of v [out,...]; gain [out]
// (Salimans & Kingma 2016). A slice not longer than `floor` has no direction:
// it gives zeros and gets no gradient.
Var weight_norm(const Var& v, const Var& gain, float floor = 0.0f);

}  // namespace fovea
