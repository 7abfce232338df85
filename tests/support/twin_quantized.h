#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fovea/kernels/view.h"

namespace fovea::testing {

// What quantized_gemm must give bit for bit, with plain loops: weights [out,in]
// to -127..127 with a scale for each row, activations to -63..63 with a scale
// for each row, sums in 64 bits.
struct TwinQuantized {
  std::vector<int> q;
  float scale = 0;
};
TwinQuantized twin_quantize(std::span<const float> x, int most);

std::vector<float> twin_quantized_gemm(kernels::ConstMatrixView x,
                                       kernels::ConstMatrixView weight,
                                       std::span<const float> bias);

}  // namespace fovea::testing
