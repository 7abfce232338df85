#pragma once

#include "fovea/tensor/segments.h"
#include "support/gradients.h"

namespace fovea::testing {

// y[t] = bias + sum_k weight[:, k, :] x[t + k * dilation - left] within each
// sequence; x [N, in], weight [out, taps, in].
struct TwinConv1d {
  Segments of;
  int in, out, taps, dilation, left;
};
Doubles twin_conv1d(const TwinConv1d& conv, const Doubles& x,
                    const Doubles& weight, const Doubles& bias);
// Gradients of x, weight, bias.
std::vector<Doubles> twin_conv1d_gradient(const TwinConv1d& conv,
                                          const Doubles& x,
                                          const Doubles& weight,
                                          const Doubles& dy);

// x [batch, height, width, channels], weight [filters, rows, cols, channels].
struct TwinConv2d {
  int batch, height, width, channels, filters, rows, cols, stride, pad_height,
      pad_width;
  int out_height() const;
  int out_width() const;
};
Doubles twin_conv2d(const TwinConv2d& conv, const Doubles& x,
                    const Doubles& weight, const Doubles& bias);
std::vector<Doubles> twin_conv2d_gradient(const TwinConv2d& conv,
                                          const Doubles& x,
                                          const Doubles& weight,
                                          const Doubles& dy);

}  // namespace fovea::testing
