#pragma once

#include "fovea/kernels/ragged_rows.h"

// Projections of scores onto the simplex that give weight 0 to low scores. As
// for softmax, an entry of minus infinity is masked, a row of nothing else
// gives zeros, and its gradient is 0. All arrays have the same layout; y may be
// x.
namespace fovea::kernels {

// y = max(0, x - t), where t makes each row sum to 1 (Martins and Astudillo
// 2016).
void sparsemax(const float* x, const RaggedRows& rows, float* y);
// dx = the gradient given the result y, or dx += it.
void sparsemax_backward(const float* y, const float* dy, const RaggedRows& rows,
                        float* dx, bool accumulate);

// y = max(0, x / 2 - t)^2 (Peters, Niculae and Martins 2019, alpha = 1.5).
void entmax15(const float* x, const RaggedRows& rows, float* y);
void entmax15_backward(const float* y, const float* dy, const RaggedRows& rows,
                       float* dx, bool accumulate);

}  // namespace fovea::kernels
