#pragma once

#include <span>

#include "fovea/kernels/view.h"

namespace fovea::kernels {

// Functions of one number, applied to each element.
enum class Function {
  kRelu,
  kGelu,  // tanh form: x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))
  kTanh,
  kSigmoid,
  kSilu,      // x sigmoid(x)
  kSoftplus,  // log(1 + exp(x))
  kExp,
  kLog
};

// y = f(x); y may be x.
void apply(Function f, std::span<const float> x, std::span<float> y);

// True if the derivative is computed from y = f(x) and not from x.
bool derivative_uses_result(Function f);

// dx = dy f'(x), or dx += it. `kept` is y where derivative_uses_result(f),
// else x. The derivative of relu at 0 is 0.
void apply_backward(Function f, std::span<const float> kept,
                    std::span<const float> dy, std::span<float> dx,
                    bool accumulate);

// Gated linear unit (Dauphin et al. 2017): x = [A | B], y = A sigmoid(B).
void glu(ConstMatrixView x, MatrixView y);  // [N,2D] -> [N,D]
void glu_backward(ConstMatrixView x, ConstMatrixView dy, MatrixView dx,
                  bool accumulate);

// Maxout over consecutive pairs (Goodfellow et al. 2013, k = 2):
// y[i] = max(x[2i], x[2i+1]). The gradient goes to the winner, to the first one
// on ties.
void maxout(std::span<const float> x, std::span<float> y);
void maxout_backward(std::span<const float> x, std::span<const float> dy,
                     std::span<float> dx, bool accumulate);

}  // namespace fovea::kernels
