#include "fovea/kernels/resample.h"

#include <algorithm>
#include <cassert>

#include "fovea/base/parallel.h"
#include "fovea/tensor/allocator.h"

namespace fovea::kernels {
namespace {

// Output = (1 - weight) * input[low] + weight * input[high].
struct Place {
  int64_t low, high;
  float weight;
};

void find_places(int64_t in, bool align_corners, const Scratch<Place>& all) {
  const auto out = static_cast<int64_t>(all.size());
  for (int64_t i = 0; i < out; ++i) {
    double at;
    if (align_corners) {
      at = out > 1 ? static_cast<double>(i * (in - 1)) /
                         static_cast<double>(out - 1)
                   : 0.0;
    } else {
      at = (static_cast<double>(i) + 0.5) * static_cast<double>(in) /
               static_cast<double>(out) -
           0.5;
    }
    at = std::clamp(at, 0.0, static_cast<double>(in - 1));
    const auto low = static_cast<int64_t>(at);
    all[i] = {low, std::min(low + 1, in - 1),
              static_cast<float>(at - static_cast<double>(low))};
  }
}

// For every output pixel of image b: body(its offset, and the offset and
// weight of the four input pixels that it is made of).
struct Corner {
  int64_t offset;
  float weight;
};
template <class Body>
void for_pixels(const Resample& r, const Scratch<Place>& rows,
                const Scratch<Place>& cols, int64_t b, Body body) {
  const auto offset = [&](int64_t i, int64_t j) {
    return ((b * r.height + i) * r.width + j) * r.channels;
  };
  for (int64_t i = 0; i < r.out_height; ++i) {
    const Place& v = rows[i];
    for (int64_t j = 0; j < r.out_width; ++j) {
      const Place& h = cols[j];
      const Corner corners[4] = {
          {offset(v.low, h.low), (1 - v.weight) * (1 - h.weight)},
          {offset(v.low, h.high), (1 - v.weight) * h.weight},
          {offset(v.high, h.low), v.weight * (1 - h.weight)},
          {offset(v.high, h.high), v.weight * h.weight}};
      body(((b * r.out_height + i) * r.out_width + j) * r.channels, corners);
    }
  }
}

}  // namespace

void resample_bilinear(const Resample& r, std::span<const float> x,
                       std::span<float> y) {
  assert(r.height > 0 && r.width > 0);
  const Scratch<Place> rows(r.out_height), cols(r.out_width);
  find_places(r.height, r.align_corners, rows);
  find_places(r.width, r.align_corners, cols);
  parallel_for(r.batch, 1, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      for_pixels(r, rows, cols, b, [&](int64_t to, const Corner* from) {
        const float *p0 = &x[from[0].offset], *p1 = &x[from[1].offset],
                    *p2 = &x[from[2].offset], *p3 = &x[from[3].offset];
        float* out = &y[to];
        for (int64_t c = 0; c < r.channels; ++c) {
          out[c] = (from[0].weight * p0[c] + from[1].weight * p1[c]) +
                   (from[2].weight * p2[c] + from[3].weight * p3[c]);
        }
      });
    }
  });
}

void resample_bilinear_backward(const Resample& r, std::span<const float> dy,
                                std::span<float> dx) {
  const Scratch<Place> rows(r.out_height), cols(r.out_width);
  find_places(r.height, r.align_corners, rows);
  find_places(r.width, r.align_corners, cols);
  // Pixels are shared within an image only: an image belongs to one thread.
  parallel_for(r.batch, 1, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      for_pixels(r, rows, cols, b, [&](int64_t to, const Corner* from) {
        const float* gradient = &dy[to];
        for (int k = 0; k < 4; ++k) {
          float* sum = &dx[from[k].offset];
          const float weight = from[k].weight;
          for (int64_t c = 0; c < r.channels; ++c) {
            sum[c] += weight * gradient[c];
          }
        }
      });
    }
  });
}

}  // namespace fovea::kernels
