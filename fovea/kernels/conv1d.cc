#include "fovea/kernels/conv1d.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "fovea/base/parallel.h"
#include "fovea/kernels/gemm.h"
#include "fovea/kernels/split_sum.h"
#include "fovea/tensor/allocator.h"

namespace fovea::kernels {
namespace {

// Rows that are gathered and multiplied at a time. Enough for the product to
// run at its full speed; the copy stays in the cache.
constexpr int64_t kRows = 512;

struct Taps {
  const Conv1d& of;
  bool reversed;
};

// Row t of `out` becomes all rows of x that output t sees, side by side:
// [end - begin, taps * cols]. Reversed: the rows of y that input t went
// into, in the order of the taps.
void gather(Taps taps, ConstMatrixView x, int64_t begin, int64_t end,
            float* out) {
  const Conv1d& conv = taps.of;
  const auto after =
      std::upper_bound(conv.offsets.begin(), conv.offsets.end(), begin);
  auto sequence = after - conv.offsets.begin() - 1;
  for (int64_t t = begin; t < end; ++t) {
    while (t >= conv.offsets[sequence + 1]) ++sequence;
    const int64_t first = conv.offsets[sequence];
    const int64_t last = conv.offsets[sequence + 1];
    for (int64_t k = 0; k < conv.taps; ++k, out += x.cols) {
      const int64_t shift = k * conv.dilation - conv.left;
      const int64_t s = taps.reversed ? t - shift : t + shift;
      if (s >= first && s < last) {
        std::copy_n(x.row(s), x.cols, out);
      } else {
        std::fill_n(out, x.cols, 0.0f);
      }
    }
  }
}

// y = gathered x times weight^T (or weight), block by block. A bias is where
// the sums begin.
void multiply(Taps taps, ConstMatrixView x, ConstMatrixView weight,
              MatrixView y, GemmOptions options) {
  const std::span<const float> bias = std::exchange(options.bias, {});
  options.accumulate |= !bias.empty();
  const int64_t width = taps.of.taps * x.cols;
  const int64_t blocks = (y.rows + kRows - 1) / kRows;
  parallel_for(blocks, 1, [&](int64_t first, int64_t last) {
    const Scratch<float> rows(std::min(kRows, y.rows) * width);
    for (int64_t block = first; block < last; ++block) {
      const int64_t begin = block * kRows,
                    end = std::min(y.rows, begin + kRows);
      gather(taps, x, begin, end, rows.data());
      for (int64_t t = begin; t < end && !bias.empty(); ++t) {
        std::copy_n(bias.data(), y.cols, y.row(t));
      }
      gemm(ConstMatrixView(rows.data(), end - begin, width), weight,
           y.row_range(begin, end), options);
    }
  });
}

}  // namespace

void conv1d(const Conv1d& conv, ConstMatrixView x, ConstMatrixView weight,
            std::span<const float> bias, MatrixView y) {
  assert(weight.rows == y.cols && weight.cols == conv.taps * x.cols);
  assert(x.rows == y.rows && conv.offsets.back() == x.rows);
  multiply({conv, false}, x, weight, y, {.transpose_b = true, .bias = bias});
}

void conv1d_backward_input(const Conv1d& conv, ConstMatrixView dy,
                           ConstMatrixView weight, MatrixView dx,
                           bool accumulate) {
  // weight [out, taps, in] as [taps, out, in]: the gradient is a convolution of
  // dy with the taps reversed, so that no two threads add to the same row.
  const int64_t out = weight.rows, in = dx.cols;
  const Scratch<float> turned(conv.taps * out * in);
  for (int64_t k = 0; k < conv.taps; ++k) {
    for (int64_t o = 0; o < out; ++o) {
      std::copy_n(weight.row(o) + k * in, in, &turned[(k * out + o) * in]);
    }
  }
  multiply({conv, true}, dy, {turned.data(), conv.taps * out, in}, dx,
           {.accumulate = accumulate});
}

void conv1d_backward_weight(const Conv1d& conv, ConstMatrixView x,
                            ConstMatrixView dy, MatrixView dweight,
                            bool accumulate) {
  const int64_t width = conv.taps * x.cols;
  split_sum(x.rows, dweight, accumulate,
            [&](int64_t first, int64_t last, MatrixView sum) {
              const Scratch<float> rows(std::min(kRows, last - first) * width);
              for (int64_t i = first; i < last; i += kRows) {
                const int64_t end = std::min(last, i + kRows);
                gather({conv, false}, x, i, end, rows.data());
                gemm(dy.row_range(i, end),
                     ConstMatrixView(rows.data(), end - i, width), sum,
                     {.transpose_a = true, .accumulate = i > first});
              }
            });
}

}  // namespace fovea::kernels
