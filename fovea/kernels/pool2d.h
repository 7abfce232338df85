#pragma once

#include <cstdint>
#include <span>

namespace fovea::kernels {

// Pooling of images [batch, height, width, channels] over windows. Places
// outside the image do not exist: they are never the largest, and the average
// is over the pixels inside.
struct Pool2d {
  int64_t batch = 1, height = 1, width = 1, channels = 1;
  int64_t window = 2;
  int64_t stride = 2;
  int64_t pad = 0;  // less than the window

  int64_t out_height() const {
    return (height + 2 * pad - window) / stride + 1;
  }
  int64_t out_width() const { return (width + 2 * pad - window) / stride + 1; }
};

void max_pool2d(const Pool2d& pool, std::span<const float> x,
                std::span<float> y);
void average_pool2d(const Pool2d& pool, std::span<const float> x,
                    std::span<float> y);

// dx += what follows from dy. The gradient of a maximum goes to the first
// pixel, row by row, that has it.
void max_pool2d_backward(const Pool2d& pool, std::span<const float> x,
                         std::span<const float> dy, std::span<float> dx);
void average_pool2d_backward(const Pool2d& pool, std::span<const float> dy,
                             std::span<float> dx);

}  // namespace fovea::kernels
