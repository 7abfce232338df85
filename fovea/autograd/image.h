#pragma once

#include <cstdint>

#include "fovea/autograd/var.h"

namespace fovea {

// Ops on images with channels last, [B,H,W,C].

struct Pool2dOptions {
  int64_t window = 2;
  int64_t stride = 2;
  int64_t pad = 0;  // places outside the image do not count
};
// [B,H',W',C], H' = (H + 2 pad - window) / stride + 1. The gradient of a
// maximum goes to the first pixel, row by row, that has it.
Var max_pool2d(const Var& x, const Pool2dOptions& options = {});
Var average_pool2d(const Var& x, const Pool2dOptions& options = {});

// Bilinear interpolation to [B,height,width,C]. With align_corners the corner
// pixels stay at the corners; otherwise pixels are areas, and the areas of the
// images coincide.
struct ResampleOptions {
  int64_t height = 1, width = 1;
  bool align_corners = false;
};
Var resample(const Var& x, const ResampleOptions& options);

}  // namespace fovea
