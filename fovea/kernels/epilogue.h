#pragma once

#include <span>

#include "fovea/kernels/view.h"

namespace fovea::kernels {

enum class Activation { kNone, kRelu, kGelu, kTanh, kSigmoid };

// c = activation(c + bias), one bias for each column, or none.
void finish_product(MatrixView c, std::span<const float> bias,
                    Activation activation);

}  // namespace fovea::kernels
