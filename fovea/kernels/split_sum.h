#pragma once

#include "fovea/base/parallel.h"
#include "fovea/kernels/view.h"

namespace fovea::kernels {

// total = the sum over `rows` rows of something that add(begin, end, sum) works
// out for a range of them (sum = , not +=), or total += it: the gradient of a
// weight. The rows are cut into parts that depend on the sizes alone, each part
// has a sum of its own, and these are added up in order, so that the result
// does not depend on the threads.
void split_sum(int64_t rows, MatrixView total, bool accumulate,
               FunctionRef<void(int64_t, int64_t, MatrixView)> add);

}  // namespace fovea::kernels
