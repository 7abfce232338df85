#pragma once

#include "fovea/autograd/var.h"
#include "fovea/tensor/segments.h"

namespace fovea {

// Of all elements: one number, a scalar.
Var sum(const Var& x);
Var mean(const Var& x);  // 0 if there are none

Var row_sums(const Var& x);     // [N,D] -> [N]
Var column_sums(const Var& x);  // [N,D] -> [D]

// Over the rows of each sequence: [N,D] -> [B,D]. An empty sequence gives
// zeros. The gradient of a maximum goes to the first of the largest.
Var segment_sum(const Var& x, const Segments& of);
Var segment_mean(const Var& x, const Segments& of);
Var segment_max(const Var& x, const Segments& of);

// Row b for every row of sequence b: [B,D] -> [N,D].
Var repeat_rows(const Var& x, const Segments& of);

}  // namespace fovea
