#pragma once

#include <span>

#include "fovea/kernels/conv2d.h"

namespace fovea::kernels {

// Convolutions by oneDNN, without gathering patches. For conv2d.cc: everyone
// else calls the functions there, which choose. Results overwrite; no bias.

// True where it is faster. Measured with 3x3 kernels, GFLOP/s on one thread,
// forward / input / weight, against gathered patches:
//   3 -> 32 channels   81 / 26 / 79   against  29 / 23 / 26
//   16 -> 32           95 / 89 / 75            70 / 63 / 66
//   64 -> 64           81 / 85 / 66            85 / 80 / 83
//   64 -> 128 by 2     74 / 79 / 66            90 / 89 / 83
bool conv2d_is_direct(const Conv2d& conv);

void conv2d_direct(const Conv2d& conv, std::span<const float> x,
                   std::span<const float> weight, std::span<float> y);
void conv2d_direct_backward_input(const Conv2d& conv, std::span<const float> dy,
                                  std::span<const float> weight,
                                  std::span<float> dx);
void conv2d_direct_backward_weight(const Conv2d& conv, std::span<const float> x,
                                   std::span<const float> dy,
                                   std::span<float> dweight);

}  // namespace fovea::kernels
