#pragma once

#include <cstdint>
#include <span>

namespace fovea::kernels {

// A convolution of images. Channels come last (NHWC): a pixel is a row of
// channels, so that images are rows like everything else: batch norm runs over
// rows, and attention over pixels needs no copy.
struct Conv2d {
  int64_t batch = 1, height = 1, width = 1, channels = 1;  // x
  int64_t filters = 1;                                     // channels of y
  int64_t kernel_height = 1, kernel_width = 1;
  int64_t stride = 1;
  int64_t pad_height = 0, pad_width = 0;  // zeros around the image

  int64_t out_height() const {
    return (height + 2 * pad_height - kernel_height) / stride + 1;
  }
  int64_t out_width() const {
    return (width + 2 * pad_width - kernel_width) / stride + 1;
  }
  int64_t patch() const { return kernel_height * kernel_width * channels; }
};

// x [batch, height, width, channels], y [batch, out_height, out_width,
// filters], weight [filters, kernel_height, kernel_width, channels]; bias has
// `filters` numbers or none.
void conv2d(const Conv2d& conv, std::span<const float> x,
            std::span<const float> weight, std::span<const float> bias,
            std::span<float> y);

// dx = what follows from dy, or dx += it. The gradient of the bias is the sum
// over all pixels of dy.
void conv2d_backward_input(const Conv2d& conv, std::span<const float> dy,
                           std::span<const float> weight, std::span<float> dx,
                           bool accumulate);
void conv2d_backward_weight(const Conv2d& conv, std::span<const float> x,
                            std::span<const float> dy, std::span<float> dweight,
                            bool accumulate);

}  // namespace fovea::kernels
