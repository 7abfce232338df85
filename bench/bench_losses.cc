#include <string>
#include <vector>

#include "bench/bench.h"
#include "fovea/base/rng.h"
#include "fovea/kernels/conv1d.h"
#include "fovea/kernels/conv2d.h"
#include "fovea/kernels/cross_entropy.h"
#include "fovea/kernels/optim.h"
#include "fovea/tensor/segments.h"
#include "fovea/tensor/tensor.h"

namespace fovea::bench {
namespace {

Row named(const std::string& bench, const std::string& name, int threads) {
  Row row;
  row.bench = bench;
  row.name = name;
  row.threads = threads;
  return row;
}

Row cross_entropy_row(int rows, int threads) {
  constexpr int kClasses = 8000;
  const Tensor logits({rows, kClasses});
  fill_normal(RandomKey(1), 0, 3, logits.span());
  std::vector<int> targets(rows);
  for (int i = 0; i < rows; ++i) {
    targets[i] = random_below(RandomKey(2), i, kClasses);
  }
  std::vector<kernels::RowLoss> losses(rows);
  const double bytes = 2.0 * 4 * rows * kClasses;  // logits in, gradient out
  // The gradient serves as the next call's logits: the time does not depend on
  // the values, and a copy would be measured along.
  return against(
      copy_bandwidth(),
      named("cross_entropy", "rows=" + std::to_string(rows) + " classes=8000",
            threads),
      bytes, [&] {
        kernels::cross_entropy_with_gradient(
            {logits.data(), rows, kClasses}, targets, losses,
            {.smoothing = 0.1f, .scale = 1.0f / rows});
      });
}

Row adam_row(int64_t parameters, int threads) {
  // A model's mixture: large matrices, small vectors.
  constexpr int64_t kSizes[] = {1 << 20, 1024, 1 << 18, 256, 512 * 512 + 7, 1};
  std::vector<Tensor> tensors;
  std::vector<kernels::OptimTensor> list;
  int64_t total = 0;
  for (size_t i = 0; total < parameters; ++i) {
    const int64_t size = kSizes[i % std::size(kSizes)];
    Tensor t[4];
    for (Tensor& x : t) {
      x = Tensor({size});
      fill_uniform(RandomKey(i), 0, 1, x.span());
      tensors.push_back(x);
    }
    list.push_back({t[0].span(), t[1].span(), t[2].span(), t[3].span()});
    total += size;
  }
  const double bytes = 7.0 * 4 * static_cast<double>(total);
  return against(
      copy_bandwidth(),
      named("adam", std::to_string(total / 1000000) + "M parameters", threads),
      bytes, [&] { kernels::adam(list, {.number = 10}, {}); });
}

Tensor random(const Shape& shape) {
  Tensor t(shape);
  fill_normal(RandomKey(shape.size()), 0, 1, t.span());
  return t;
}

kernels::MatrixView matrix(const Tensor& x) {
  return {x.data(), x.dim(0), x.size() / x.dim(0)};
}

// Forward and backward, 256 sequences of 5 to 30 rows.
Row conv1d_row(int width, int threads) {
  std::vector<int> lengths(256);
  for (int i = 0; i < 256; ++i) {
    lengths[i] = 5 + random_below(RandomKey(3), i, 26);
  }
  const Segments of = Segments::from_lengths(lengths);
  const kernels::Conv1d conv{of.offsets(), 3, 1, 1};
  const Tensor x = random({of.total(), width}), w = random({width, 3 * width}),
               bias = random({width}), y = random({of.total(), width}),
               dx = random({of.total(), width}),
               dw = random({width, 3 * width});
  const double flops = 3 * 2.0 * 3 * of.total() * width * width;
  return against(
      sgemm_peak(),
      named("conv1d", "taps=3 width=" + std::to_string(width), threads), flops,
      [&] {
        kernels::conv1d(conv, matrix(x), matrix(w), bias.span(), matrix(y));
        kernels::conv1d_backward_input(conv, matrix(y), matrix(w), matrix(dx),
                                       false);
        kernels::conv1d_backward_weight(conv, matrix(x), matrix(y), matrix(dw),
                                        false);
      });
}

// Forward and backward.
Row conv2d_row(const kernels::Conv2d& conv, int threads) {
  const Tensor x = random({conv.batch, conv.height, conv.width, conv.channels});
  const Tensor w = random({conv.filters, conv.patch()});
  const Tensor y =
      random({conv.batch, conv.out_height(), conv.out_width(), conv.filters});
  const Tensor dx = random(x.shape()), dw = random(w.shape());
  const double flops = 3 * 2.0 * static_cast<double>(y.size() * conv.patch());
  const std::string name =
      std::to_string(conv.height) + "x" + std::to_string(conv.width) + " " +
      std::to_string(conv.channels) + "->" + std::to_string(conv.filters) +
      " kernel=" + std::to_string(conv.kernel_height) +
      " stride=" + std::to_string(conv.stride);
  return against(sgemm_peak(), named("conv2d", name, threads), flops, [&] {
    kernels::conv2d(conv, x.span(), w.span(), {}, y.span());
    kernels::conv2d_backward_input(conv, y.span(), w.span(), dx.span(), false);
    kernels::conv2d_backward_weight(conv, x.span(), y.span(), dw.span(), false);
  });
}

kernels::Conv2d square(int64_t size, int64_t channels, int64_t filters,
                       int64_t stride) {
  return {.batch = 8,
          .height = size,
          .width = size,
          .channels = channels,
          .filters = filters,
          .kernel_height = 3,
          .kernel_width = 3,
          .stride = stride,
          .pad_height = 1,
          .pad_width = 1};
}

}  // namespace

Bench cross_entropy_bench() {
  return {"cross_entropy", [](int threads) -> std::vector<Row> {
            return {cross_entropy_row(512, threads),
                    cross_entropy_row(2048, threads),
                    cross_entropy_row(4096, threads)};
          }};
}

Bench conv_bench() {
  return {"conv", [](int threads) -> std::vector<Row> {
            return {conv1d_row(256, threads),
                    conv1d_row(512, threads),
                    conv2d_row(square(32, 16, 32, 1), threads),
                    conv2d_row(square(28, 64, 64, 1), threads),
                    conv2d_row(square(28, 64, 128, 2), threads),
                    conv2d_row(square(14, 256, 256, 1), threads)};
          }};
}

Bench adam_bench() {
  return {"adam", [](int threads) -> std::vector<Row> {
            return {adam_row(12'000'000, threads)};
          }};
}

}  // namespace fovea::bench
