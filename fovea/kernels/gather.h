#pragma once

#include <span>

#include "fovea/kernels/view.h"

namespace fovea::kernels {

// y[i, :] = table[ids[i], :]
void gather_rows(ConstMatrixView table, std::span<const int> ids, MatrixView y);

// table[ids[i], :] += x[i, :], in the order of i wherever an id comes twice:
// the result is the same for any number of threads.
void scatter_add_rows(ConstMatrixView x, std::span<const int> ids,
                      MatrixView table);

}  // namespace fovea::kernels
