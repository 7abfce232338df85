#pragma once

#include <span>

#include "fovea/kernels/view.h"

// Arithmetic on arrays of one size; results may be one of the inputs.
namespace fovea::kernels {

// y += x
void add(std::span<const float> x, std::span<float> y);
// y += a * x
void add_scaled(float a, std::span<const float> x, std::span<float> y);
// z = x + y
void add(std::span<const float> x, std::span<const float> y,
         std::span<float> z);
// z = x - y
void sub(std::span<const float> x, std::span<const float> y,
         std::span<float> z);
// y = a * x
void scale(float a, std::span<const float> x, std::span<float> y);
// y = a + x
void shift(float a, std::span<const float> x, std::span<float> y);
// z = x * y
void mul(std::span<const float> x, std::span<const float> y,
         std::span<float> z);
// z += x * y
void mul_add(std::span<const float> x, std::span<const float> y,
             std::span<float> z);

// Rows of any stride.
// y = x
void copy(ConstMatrixView x, MatrixView y);
// y += x
void add(ConstMatrixView x, MatrixView y);
// y = x + row, for every row of x
void add_row(ConstMatrixView x, std::span<const float> row, MatrixView y);
// y[i, :] = x[i, :] + column[i]
void add_column(ConstMatrixView x, std::span<const float> column, MatrixView y);
// y = x * row, for every row of x; or y += it
void mul_row(ConstMatrixView x, std::span<const float> row, MatrixView y,
             bool accumulate = false);
// y[i, :] = column[i] * x[i, :]; or y += it
void mul_column(ConstMatrixView x, std::span<const float> column, MatrixView y,
                bool accumulate = false);

}  // namespace fovea::kernels
