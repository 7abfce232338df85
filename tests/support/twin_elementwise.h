#pragma once

#include "fovea/kernels/function.h"
#include "support/gradients.h"

// Slow double-precision twins of the elementwise functions.
namespace fovea::testing {

double twin_function(kernels::Function f, double x);
double twin_derivative(kernels::Function f, double x);

Doubles twin_apply(kernels::Function f, const Doubles& x);
Doubles twin_apply_backward(kernels::Function f, const Doubles& x,
                            const Doubles& dy);

// x is [rows, 2 * cols].
Doubles twin_glu(const Doubles& x, int cols);
Doubles twin_glu_backward(const Doubles& x, const Doubles& dy, int cols);

Doubles twin_maxout(const Doubles& x);
Doubles twin_maxout_backward(const Doubles& x, const Doubles& dy);

}  // namespace fovea::testing
