#pragma once

#include <span>

#include "fovea/kernels/view.h"

// Every result is the same for any number of threads: sums are taken over parts
// that depend on the sizes alone, and the parts are added up in order.
namespace fovea::kernels {

double sum(std::span<const float> x);
double sum_of_squares(std::span<const float> x);
double dot(std::span<const float> x, std::span<const float> y);
// Minus infinity if there is none.
float max(std::span<const float> x);

// out[i] = the sum (or the largest) of row i; or out += it.
void row_sums(ConstMatrixView x, std::span<float> out, bool accumulate = false);
void row_max(ConstMatrixView x, std::span<float> out);
// out[i] = the sum of x[i, :] * y[i, :]; or out += it.
void row_dots(ConstMatrixView x, ConstMatrixView y, std::span<float> out,
              bool accumulate = false);

// out[j] = the sum (or the largest) of column j; or out += it. The gradient of
// a bias.
void column_sums(ConstMatrixView x, std::span<float> out,
                 bool accumulate = false);
void column_max(ConstMatrixView x, std::span<float> out);
// out[j] = the sum of x[:, j] * y[:, j]; or out += it. The gradient of a gain.
void column_dots(ConstMatrixView x, ConstMatrixView y, std::span<float> out,
                 bool accumulate = false);

}  // namespace fovea::kernels
