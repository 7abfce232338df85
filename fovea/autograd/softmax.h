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

// Relatives that give weight 0 to low scores: see kernels/sparsemax.h.
Var sparsemax(const Var& x, const Segments& rows);
Var entmax15(const Var& x, const Segments& rows);
// The softmax of the k largest of a row, of equal ones the first; 0 elsewhere.
Var topk_softmax(const Var& x, const Segments& rows, int k);

}  // namespace fovea
