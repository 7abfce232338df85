#pragma once

#include "fovea/autograd/var.h"
#include "fovea/tensor/segments.h"

namespace fovea {

// Over the last axis. Entries of minus infinity are masked; a row with no
// other entry gives zeros.
Var softmax(const Var& x);
Var log_softmax(const Var& x);

// Over each segment of the elements of x [E], such as the scores of ragged
// attention.
Var softmax(const Var& x, const Segments& rows);
Var log_softmax(const Var& x, const Segments& rows);

}  // namespace fovea
