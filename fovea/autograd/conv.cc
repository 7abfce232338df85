#include "fovea/autograd/conv.h"

#include <vector>

#include "fovea/autograd/matrix.h"
#include "fovea/base/check.h"
#include "fovea/kernels/conv1d.h"
#include "fovea/kernels/conv2d.h"
#include "fovea/kernels/reduce.h"

namespace fovea {
namespace {

// weight [out, ...] as [out, taps * in].
kernels::MatrixView flat(const Tensor& weight) {
  const int64_t out = weight.dim(0);
  return {weight.data(), out, out ? weight.size() / out : 0};
}

void check_bias(const char* op, const Var& bias, int64_t out) {
  check(!bias || bias.shape() == Shape{out}, op, ": a bias of shape ",
        bias ? bias.shape() : Shape{}, " for ", out, " outputs");
}

std::vector<Var> inputs_of(const Var& x, const Var& weight, const Var& bias) {
  std::vector<Var> inputs = {x, weight};
  if (bias) inputs.push_back(bias);
  return inputs;
}

std::span<const float> numbers(const Var& bias) {
  return bias ? bias.value().span() : std::span<float>{};
}

void bias_backward(const Tensor& dy, Grads dx) {
  if (dx.size() < 3 || !dx[2]) return;
  const auto [sum, accumulate] = dx[2].target();
  kernels::column_sums(matrix(dy), sum.span(), accumulate);
}

}  // namespace

int64_t rows_before(const Conv1dOptions& options, int64_t taps) {
  const int64_t others = (taps - 1) * options.dilation;
  switch (options.reach) {
    case Conv1dReach::kCausal:
      return others;
    case Conv1dReach::kCentred:
      return others / 2;
    case Conv1dReach::kAhead:
      break;
  }
  return 0;
}

Var conv1d(const Var& x, const Segments& of, const Var& weight, const Var& bias,
           const Conv1dOptions& options) {
  check(x.shape().rank() == 2 && weight.shape().rank() == 3,
        "conv1d: x of shape ", x.shape(), " and weight of shape ",
        weight.shape(), ", expected [N, in] and [out, taps, in]");
  const int64_t out = weight.dim(0), taps = weight.dim(1);
  check(weight.dim(2) == x.dim(1), "conv1d: weight of shape ", weight.shape(),
        " for ", x.dim(1), " columns");
  check(of.total() == x.dim(0), "conv1d: sequences of ", of.total(),
        " rows in all, but x has ", x.dim(0));
  check(taps >= 1 && options.dilation >= 1, "conv1d: ", taps,
        " taps with dilation ", options.dilation);
  check_bias("conv1d", bias, out);
  const int64_t left = rows_before(options, taps);
  const auto conv = [of, taps, left, dilation = options.dilation] {
    return kernels::Conv1d{of.offsets(), taps, dilation, left};
  };
  const Tensor a = x.value(), w = weight.value();
  Tensor y({x.dim(0), out});
  kernels::conv1d(conv(), matrix(a), flat(w), numbers(bias), matrix(y));
  return record(y, inputs_of(x, weight, bias),
                [a, w, conv](const Tensor& dy, Grads dx) {
                  if (dx[0]) {
                    const auto [sum, accumulate] = dx[0].target();
                    kernels::conv1d_backward_input(conv(), matrix(dy), flat(w),
                                                   matrix(sum), accumulate);
                  }
                  if (dx[1]) {
                    const auto [sum, accumulate] = dx[1].target();
                    kernels::conv1d_backward_weight(
                        conv(), matrix(a), matrix(dy), flat(sum), accumulate);
                  }
                  bias_backward(dy, dx);
                });
}

namespace {

kernels::Conv2d conv2d_of(const Var& x, const Var& weight,
                          const Conv2dOptions& options) {
  check(x.shape().rank() == 4 && weight.shape().rank() == 4,
        "conv2d: x of shape ", x.shape(), " and weight of shape ",
        weight.shape(), ", expected [B, H, W, C] and [F, KH, KW, C]");
  check(weight.dim(3) == x.dim(3), "conv2d: weight of shape ", weight.shape(),
        " for ", x.dim(3), " channels");
  const kernels::Conv2d conv{.batch = x.dim(0),
                             .height = x.dim(1),
                             .width = x.dim(2),
                             .channels = x.dim(3),
                             .filters = weight.dim(0),
                             .kernel_height = weight.dim(1),
                             .kernel_width = weight.dim(2),
                             .stride = options.stride,
                             .pad_height = options.pad_height,
                             .pad_width = options.pad_width};
  check(conv.stride >= 1 && conv.pad_height >= 0 && conv.pad_width >= 0,
        "conv2d: stride ", conv.stride, ", padding ", conv.pad_height, " and ",
        conv.pad_width);
  check(conv.kernel_height >= 1 && conv.kernel_width >= 1 &&
            conv.kernel_height <= conv.height + 2 * conv.pad_height &&
            conv.kernel_width <= conv.width + 2 * conv.pad_width,
        "conv2d: a kernel of ", conv.kernel_height, " x ", conv.kernel_width,
        " on an image of ", conv.height, " x ", conv.width);
  return conv;
}

}  // namespace

Var conv2d(const Var& x, const Var& weight, const Var& bias,
           const Conv2dOptions& options) {
  const kernels::Conv2d conv = conv2d_of(x, weight, options);
  check_bias("conv2d", bias, conv.filters);
  const Tensor a = x.value(), w = weight.value();
  Tensor y({conv.batch, conv.out_height(), conv.out_width(), conv.filters});
  kernels::conv2d(conv, a.span(), w.span(), numbers(bias), y.span());
  return record(y, inputs_of(x, weight, bias),
                [a, w, conv](const Tensor& dy, Grads dx) {
                  if (dx[0]) {
                    const auto [sum, accumulate] = dx[0].target();
                    kernels::conv2d_backward_input(conv, dy.span(), w.span(),
                                                   sum.span(), accumulate);
                  }
                  if (dx[1]) {
                    const auto [sum, accumulate] = dx[1].target();
                    kernels::conv2d_backward_weight(conv, a.span(), dy.span(),
                                                    sum.span(), accumulate);
                  }
                  bias_backward(dy, dx);
                });
}

}  // namespace fovea
