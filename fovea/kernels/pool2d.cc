#include "fovea/kernels/pool2d.h"

#include <algorithm>
#include <cassert>

#include "fovea/base/parallel.h"
#include "fovea/tensor/allocator.h"

namespace fovea::kernels {
namespace {

// The part of a window that lies inside the image.
struct Window {
  int64_t top, bottom, left, right;
  int64_t pixels() const { return (bottom - top) * (right - left); }
};

Window window_at(const Pool2d& pool, int64_t i, int64_t j) {
  const int64_t top = i * pool.stride - pool.pad;
  const int64_t left = j * pool.stride - pool.pad;
  return {std::max<int64_t>(0, top), std::min(pool.height, top + pool.window),
          std::max<int64_t>(0, left), std::min(pool.width, left + pool.window)};
}

// Calls body(window, y's row of channels) for each window of image b.
template <class Body>
void for_windows(const Pool2d& pool, int64_t b, Body body) {
  const int64_t height = pool.out_height(), width = pool.out_width();
  for (int64_t i = 0; i < height; ++i) {
    for (int64_t j = 0; j < width; ++j) {
      body(window_at(pool, i, j),
           ((b * height + i) * width + j) * pool.channels);
    }
  }
}

// Calls body(offset of the pixel's channels) row by row.
template <class Body>
void for_pixels(const Pool2d& pool, int64_t b, const Window& window,
                Body body) {
  for (int64_t i = window.top; i < window.bottom; ++i) {
    for (int64_t j = window.left; j < window.right; ++j) {
      body(((b * pool.height + i) * pool.width + j) * pool.channels);
    }
  }
}

// Windows overlap within an image only: an image belongs to one thread.
template <class Body>
void for_images(const Pool2d& pool, Body body) {
  const int64_t size = pool.height * pool.width * pool.channels;
  parallel_for(pool.batch, 1 + (1 << 14) / (size + 1),
               [&](int64_t begin, int64_t end) {
                 for (int64_t b = begin; b < end; ++b) body(b);
               });
}

}  // namespace

void max_pool2d(const Pool2d& pool, std::span<const float> x,
                std::span<float> y) {
  assert(pool.pad < pool.window);
  for_images(pool, [&](int64_t b) {
    for_windows(pool, b, [&](const Window& window, int64_t to) {
      float* best = &y[to];
      bool first = true;
      for_pixels(pool, b, window, [&](int64_t from) {
        const float* pixel = &x[from];
        if (first) std::copy_n(pixel, pool.channels, best);
        first = false;
        for (int64_t c = 0; c < pool.channels; ++c) {
          best[c] = pixel[c] > best[c] ? pixel[c] : best[c];
        }
      });
    });
  });
}

void average_pool2d(const Pool2d& pool, std::span<const float> x,
                    std::span<float> y) {
  assert(pool.pad < pool.window);
  for_images(pool, [&](int64_t b) {
    for_windows(pool, b, [&](const Window& window, int64_t to) {
      float* sum = &y[to];
      std::fill_n(sum, pool.channels, 0.0f);
      for_pixels(pool, b, window, [&](int64_t from) {
        for (int64_t c = 0; c < pool.channels; ++c) sum[c] += x[from + c];
      });
      const float share = 1.0f / static_cast<float>(window.pixels());
      for (int64_t c = 0; c < pool.channels; ++c) sum[c] *= share;
    });
  });
}

void max_pool2d_backward(const Pool2d& pool, std::span<const float> x,
                         std::span<const float> dy, std::span<float> dx) {
  for_images(pool, [&](int64_t b) {
    const Scratch<int64_t> winners(pool.channels);
    for_windows(pool, b, [&](const Window& window, int64_t to) {
      bool first = true;
      for_pixels(pool, b, window, [&](int64_t from) {
        for (int64_t c = 0; c < pool.channels; ++c) {
          if (first || x[from + c] > x[winners[c]]) winners[c] = from + c;
        }
        first = false;
      });
      for (int64_t c = 0; c < pool.channels; ++c) dx[winners[c]] += dy[to + c];
    });
  });
}

void average_pool2d_backward(const Pool2d& pool, std::span<const float> dy,
                             std::span<float> dx) {
  for_images(pool, [&](int64_t b) {
    for_windows(pool, b, [&](const Window& window, int64_t to) {
      const float share = 1.0f / static_cast<float>(window.pixels());
      for_pixels(pool, b, window, [&](int64_t from) {
        for (int64_t c = 0; c < pool.channels; ++c) {
          dx[from + c] += share * dy[to + c];
        }
      });
    });
  });
}

}  // namespace fovea::kernels
