#pragma once

#include "fovea/kernels/packed_gemm.h"
#include "fovea/kernels/quantized_matrix.h"
#include "fovea/kernels/view.h"

namespace fovea::kernels {

// c = activation(a * b + bias) like packed_gemm, with the rows of a brought to
// 7 bits on the way: x = scale * (q - 64), one scale for each row, q from 1 to
// 127. The sums are exact integers (four products of 127 * 64 fit the 16 bits
// of `maddubs`), so a row of c depends neither on other rows nor on threads,
// and without an activation not on the instruction set either. A row that is
// not finite gives a result that is not finite.
void quantized_gemm(ConstMatrixView a, const QuantizedMatrix& b, MatrixView c,
                    const PackedGemmOptions& options = {});

}  // namespace fovea::kernels
