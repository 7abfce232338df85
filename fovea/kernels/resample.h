#pragma once

#include <cstdint>
#include <span>

namespace fovea::kernels {

// Bilinear change of size of images [batch, height, width, channels].
struct Resample {
  int64_t batch = 1, height = 1, width = 1, channels = 1;
  int64_t out_height = 1, out_width = 1;
  // True: the corner pixels' centres stay at the corners. False: pixels are
  // areas; output i lies at (i + 1/2) * height / out_height - 1/2, clamped to
  // the image.
  bool align_corners = false;
};

void resample_bilinear(const Resample& resample, std::span<const float> x,
                       std::span<float> y);

// dx += the transpose of the interpolation, applied to dy.
void resample_bilinear_backward(const Resample& resample,
                                std::span<const float> dy, std::span<float> dx);

}  // namespace fovea::kernels
