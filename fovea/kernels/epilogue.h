#pragma once

#include <span>

#include "fovea/kernels/view.h"

namespace fovea::kernels {

enum class Activation { kNone, kRelu, kGelu, kTanh, kSigmoid };

// c = activation(c + bias), one bias for each column, or none.
void finish_product(MatrixView c, std::span<const float> bias,
                    Activation activation);

// dz = dy * activation'(z), where `saved` is what the derivative is computed
// from: z itself for gelu (derivative_needs_input), y = activation(z) for the
// others. dz may be dy.
void activation_backward(Activation activation, std::span<const float> saved,
                         std::span<const float> dy, std::span<float> dz);

constexpr bool derivative_needs_input(Activation activation) {
  return activation == Activation::kGelu;
}

}  // namespace fovea::kernels
