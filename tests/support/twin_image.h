#pragma once

#include "support/gradients.h"

namespace fovea::testing {

// Images [batch, height, width, channels].
struct TwinPool {
  int batch, height, width, channels, window, stride, pad;
  int out_height() const { return (height + 2 * pad - window) / stride + 1; }
  int out_width() const { return (width + 2 * pad - window) / stride + 1; }
};
Doubles twin_max_pool(const TwinPool& pool, const Doubles& x);
Doubles twin_max_pool_gradient(const TwinPool& pool, const Doubles& x,
                               const Doubles& dy);
Doubles twin_average_pool(const TwinPool& pool, const Doubles& x);
Doubles twin_average_pool_gradient(const TwinPool& pool, const Doubles& dy);

// Bilinear, as sums over all pixels with tent weights.
struct TwinResample {
  int batch, height, width, channels, out_height, out_width;
  bool align_corners;
};
Doubles twin_resample(const TwinResample& r, const Doubles& x);
Doubles twin_resample_gradient(const TwinResample& r, const Doubles& dy);

// x [N,C], statistics of the columns; y = x^ gain + bias.
Doubles twin_batch_norm(const Doubles& x, const Doubles& gain,
                        const Doubles& bias, double epsilon);
// Gradients of x, gain, bias.
std::vector<Doubles> twin_batch_norm_gradient(const Doubles& x,
                                              const Doubles& gain,
                                              const Doubles& dy,
                                              double epsilon);

}  // namespace fovea::testing
