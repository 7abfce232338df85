#pragma once

#include <span>

#include "fovea/kernels/ragged_rows.h"

namespace fovea::kernels {

// An entry of minus infinity is masked: its weight is 0. A row whose
// entries are all masked gives zeros, and for the logarithm minus infinity
// everywhere; its gradient is 0. Elements outside the rows are not touched.
// All arrays have the same layout; y may be x.
void softmax(const float* x, const RaggedRows& rows, float* y);
void log_softmax(const float* x, const RaggedRows& rows, float* y);

// The logarithm of the sum of the exponentials of each row.
void log_sum_exp(const float* x, const RaggedRows& rows, std::span<float> y);

// dx = the gradient given the result y, or dx += it.
void softmax_backward(const float* y, const float* dy, const RaggedRows& rows,
                      float* dx, bool accumulate);
void log_softmax_backward(const float* y, const float* dy,
                          const RaggedRows& rows, float* dx, bool accumulate);

}  // namespace fovea::kernels
