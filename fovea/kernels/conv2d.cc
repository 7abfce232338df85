#include "fovea/kernels/conv2d.h"

#include <algorithm>
#include <cassert>

#include "fovea/base/parallel.h"
#include "fovea/kernels/conv2d_direct.h"
#include "fovea/kernels/elementwise.h"
#include "fovea/kernels/gemm.h"
#include "fovea/kernels/split_sum.h"
#include "fovea/tensor/allocator.h"

namespace fovea::kernels {
namespace {

// Pixels of y that are gathered and multiplied at a time.
constexpr int64_t kRows = 512;

// Calls body(tap, source) for every tap of the output pixel `index`; source is
// the pixel of x that the tap sees, or -1 outside the image.
template <class Body>
void for_taps(const Conv2d& conv, int64_t index, Body body) {
  const int64_t out_width = conv.out_width(), out_height = conv.out_height();
  const int64_t image = index / (out_width * out_height);
  const int64_t top =
      index / out_width % out_height * conv.stride - conv.pad_height;
  const int64_t left = index % out_width * conv.stride - conv.pad_width;
  int64_t tap = 0;
  for (int64_t i = top; i < top + conv.kernel_height; ++i) {
    for (int64_t j = left; j < left + conv.kernel_width; ++j, ++tap) {
      const bool inside = i >= 0 && i < conv.height && j >= 0 && j < conv.width;
      const int64_t pixel = (image * conv.height + i) * conv.width + j;
      body(tap, inside ? pixel : -1);
    }
  }
}

// The patches that the output pixels [begin, end) see, one in each row.
void gather(const Conv2d& conv, const float* x, int64_t begin, int64_t end,
            float* patches) {
  const int64_t channels = conv.channels;
  for (int64_t index = begin; index < end; ++index, patches += conv.patch()) {
    for_taps(conv, index, [&](int64_t tap, int64_t source) {
      float* to = patches + tap * channels;
      if (source < 0) {
        std::fill_n(to, channels, 0.0f);
      } else {
        std::copy_n(x + source * channels, channels, to);
      }
    });
  }
}

// Adds patches to the pixels of dx that they came from.
void scatter(const Conv2d& conv, const float* patches, int64_t begin,
             int64_t end, float* dx) {
  const int64_t channels = conv.channels;
  for (int64_t index = begin; index < end; ++index, patches += conv.patch()) {
    for_taps(conv, index, [&](int64_t tap, int64_t source) {
      if (source < 0) return;
      const float* from = patches + tap * channels;
      float* to = dx + source * channels;
      for (int64_t c = 0; c < channels; ++c) to[c] += from[c];
    });
  }
}

// A patch is a pixel: nothing to gather.
bool is_product(const Conv2d& conv) {
  return conv.kernel_height == 1 && conv.kernel_width == 1 &&
         conv.stride == 1 && conv.pad_height == 0 && conv.pad_width == 0;
}

void add_bias(std::span<const float> bias, MatrixView y) {
  parallel_for(y.rows, 1 + (1 << 15) / (y.cols + 1),
               [&](int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; ++i) {
                   float* row = y.row(i);
                   for (int64_t j = 0; j < y.cols; ++j) row[j] += bias[j];
                 }
               });
}

// sum = fn's result, or sum += it.
template <class Fn>
void overwrite_or_add(std::span<float> sum, bool accumulate, Fn fn) {
  if (!accumulate) {
    fn(sum);
    return;
  }
  const Scratch<float> fresh(sum.size());
  fn(std::span<float>(fresh.data(), fresh.size()));
  add(std::span<const float>(fresh.data(), fresh.size()), sum);
}

int64_t pixels(const Conv2d& conv) {
  return conv.batch * conv.out_height() * conv.out_width();
}

ConstMatrixView filters(const Conv2d& conv, std::span<const float> weight) {
  assert(static_cast<int64_t>(weight.size()) == conv.filters * conv.patch());
  return {weight.data(), conv.filters, conv.patch()};
}

}  // namespace

void conv2d(const Conv2d& conv, std::span<const float> x,
            std::span<const float> weight, std::span<const float> bias,
            std::span<float> y) {
  const int64_t count = pixels(conv), patch = conv.patch();
  assert(static_cast<int64_t>(y.size()) == count * conv.filters);
  const MatrixView out(y.data(), count, conv.filters);
  const GemmOptions options{.transpose_b = true, .accumulate = !bias.empty()};
  // A bias is where the sums begin.
  const auto begin_sums = [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end && !bias.empty(); ++i) {
      std::copy_n(bias.data(), conv.filters, out.row(i));
    }
  };
  if (conv2d_is_direct(conv)) {
    conv2d_direct(conv, x, weight, y);
    if (!bias.empty()) add_bias(bias, out);
    return;
  }
  if (is_product(conv)) {
    begin_sums(0, count);
    gemm({x.data(), count, patch}, filters(conv, weight), out, options);
    return;
  }
  const int64_t blocks = (count + kRows - 1) / kRows;
  parallel_for(blocks, 1, [&](int64_t first, int64_t last) {
    const Scratch<float> patches(std::min(kRows, count) * patch);
    for (int64_t block = first; block < last; ++block) {
      const int64_t begin = block * kRows, end = std::min(count, begin + kRows);
      gather(conv, x.data(), begin, end, patches.data());
      begin_sums(begin, end);
      gemm(ConstMatrixView(patches.data(), end - begin, patch),
           filters(conv, weight), out.row_range(begin, end), options);
    }
  });
}

void conv2d_backward_input(const Conv2d& conv, std::span<const float> dy,
                           std::span<const float> weight, std::span<float> dx,
                           bool accumulate) {
  if (conv2d_is_direct(conv)) {
    overwrite_or_add(dx, accumulate, [&](std::span<float> out) {
      conv2d_direct_backward_input(conv, dy, weight, out);
    });
    return;
  }
  const int64_t patch = conv.patch();
  const int64_t image = conv.out_height() * conv.out_width();
  const ConstMatrixView out(dy.data(), pixels(conv), conv.filters);
  if (is_product(conv)) {
    gemm(out, filters(conv, weight), {dx.data(), out.rows, patch},
         {.accumulate = accumulate});
    return;
  }
  if (!accumulate) std::fill(dx.begin(), dx.end(), 0.0f);
  // Patches overlap within an image only.
  parallel_for(conv.batch, 1, [&](int64_t first, int64_t last) {
    const Scratch<float> patches(std::min(kRows, image) * patch);
    for (int64_t b = first; b < last; ++b) {
      for (int64_t begin = b * image; begin < (b + 1) * image; begin += kRows) {
        const int64_t end = std::min((b + 1) * image, begin + kRows);
        gemm(out.row_range(begin, end), filters(conv, weight),
             MatrixView(patches.data(), end - begin, patch));
        scatter(conv, patches.data(), begin, end, dx.data());
      }
    }
  });
}

void conv2d_backward_weight(const Conv2d& conv, std::span<const float> x,
                            std::span<const float> dy, std::span<float> dweight,
                            bool accumulate) {
  if (conv2d_is_direct(conv)) {
    overwrite_or_add(dweight, accumulate, [&](std::span<float> out) {
      conv2d_direct_backward_weight(conv, x, dy, out);
    });
    return;
  }
  const int64_t count = pixels(conv), patch = conv.patch();
  const ConstMatrixView out(dy.data(), count, conv.filters);
  const MatrixView sum(dweight.data(), conv.filters, patch);
  const bool gathered = !is_product(conv);
  split_sum(count, sum, accumulate,
            [&](int64_t first, int64_t last, MatrixView part) {
              const int64_t step = std::min(kRows, last - first);
              const Scratch<float> patches(gathered ? step * patch : 0);
              for (int64_t i = first; i < last; i += step) {
                const int64_t end = std::min(last, i + step);
                if (gathered) gather(conv, x.data(), i, end, patches.data());
                const float* rows = gathered ? patches.data() : &x[i * patch];
                gemm(out.row_range(i, end),
                     ConstMatrixView(rows, end - i, patch), part,
                     {.transpose_a = true, .accumulate = i > first});
              }
            });
}

}  // namespace fovea::kernels
