#include "fovea/autograd/norm.h"

#include <memory>

#include "fovea/autograd/matrix.h"
#include "fovea/base/check.h"
#include "fovea/kernels/norm.h"

namespace fovea {
namespace {

using kernels::NormOptions;
using kernels::NormStats;

// What a norm keeps for its backward pass.
struct Kept {
  Kept(const char* op, const Var& x, const Norm& norm)
      : gain(weight(op, "gain", norm.gain, x)),
        bias(weight(op, "bias", norm.bias, x)),
        mean({x.value().rows()}),
        scale({x.value().rows()}) {
    options.kind = norm.kind == Norm::Kind::kRms ? NormOptions::Kind::kRms
                                                 : NormOptions::Kind::kLayer;
    options.epsilon = norm.epsilon;
    options.gain = gain.span();
    options.bias = bias.span();
  }
  NormStats stats() const { return {mean.span(), scale.span()}; }

  Tensor gain, bias, mean, scale;
  NormOptions options;

 private:
  static Tensor weight(const char* op, const char* name, const Var& w,
                       const Var& x) {
    if (!w) return {};
    check(w.shape() == Shape({x.value().cols()}), op, ": a ", name,
          " of shape ", w.shape(), " for a value of shape ", x.shape());
    return w.value();
  }
};

// An input for record(), which takes no empty Var.
Var given(const Var& w) { return w ? w : Var(Tensor()); }

std::span<float> sum_of(const Grad& grad) {
  return grad ? grad.sum().span() : std::span<float>();
}

void check_residual(const Var& x, const Var& f, float rate) {
  check(x.shape() == f.shape(), "residual_dropout_norm: shapes ", x.shape(),
        " and ", f.shape(), " differ");
  check(rate >= 0.0f && rate < 1.0f, "residual_dropout_norm: a rate of ", rate,
        " is not in [0, 1)");
}

}  // namespace

Var norm(const Var& x, const Norm& norm) {
  const Kept kept("norm", x, norm);
  const Tensor a = x.value();
  Tensor y(x.shape());
  kernels::norm(matrix(a), kept.options, matrix(y), kept.stats());
  return record(y, {x, given(norm.gain), given(norm.bias)},
                [a, kept](const Tensor& dy, Grads dx) {
                  // The kernel needs a place for dx in any case.
                  auto [sum, accumulate] =
                      dx[0] ? dx[0].target()
                            : Grad::Target{Tensor(a.shape()), false};
                  kernels::norm_backward({.sum = matrix(a),
                                          .dy = matrix(dy),
                                          .dsum = matrix(sum),
                                          .accumulate = accumulate,
                                          .dgain = sum_of(dx[1]),
                                          .dbias = sum_of(dx[2])},
                                         kept.options, kept.stats());
                });
}

Var layer_norm(const Var& x, const Var& gain, const Var& bias, float epsilon) {
  return norm(x, {gain, bias, epsilon, Norm::Kind::kLayer});
}

Var rms_norm(const Var& x, const Var& gain, float epsilon) {
  return norm(x, {gain, Var(), epsilon, Norm::Kind::kRms});
}

Residual residual_dropout_norm(const Var& x, const Var& f, float rate,
                               RandomKey key, const Norm& norm) {
  check_residual(x, f, rate);
  const kernels::Dropout drop{rate, key};
  const Kept kept("residual_dropout_norm", x, norm);
  Tensor s(x.shape()), y(x.shape());
  kernels::residual_norm(
      {matrix(x.value()), matrix(f.value()), drop, matrix(s), matrix(y)},
      kept.options, kept.stats());

  // Two results, two nodes. `normed` is recorded right after `sum`, so when its
  // backward runs all other uses of `sum` have added their gradients: it knows
  // the whole gradient of `sum` and computes that of f on the way.
  const bool with_f = rate > 0.0f;
  const auto f_is_done = std::make_shared<bool>(false);
  const Var sum = record(s, {x, f}, [=](const Tensor& dy, Grads dx) {
    if (dx[0]) dx[0].add(dy);
    if (!dx[1] || *f_is_done) return;
    if (!with_f) return dx[1].add(dy);
    auto [df, accumulate] = dx[1].target();
    kernels::dropout(dy.span(), drop, df.span(), accumulate);
  });
  const Var normed = record(
      y, {sum, given(norm.gain), given(norm.bias), f},
      [=](const Tensor& dy, Grads dx) {
        auto [dsum, accumulate] =
            dx[0] ? dx[0].target() : Grad::Target{Tensor(s.shape()), false};
        kernels::NormBackward b{.sum = matrix(s),
                                .dy = matrix(dy),
                                .dsum = matrix(dsum),
                                .accumulate = accumulate,
                                .drop = drop,
                                .dgain = sum_of(dx[1]),
                                .dbias = sum_of(dx[2])};
        if (with_f && dx[3]) {
          auto [df, accumulate_f] = dx[3].target();
          b.df = matrix(df);
          b.accumulate_f = accumulate_f;
          *f_is_done = true;
        }
        kernels::norm_backward(b, kept.options, kept.stats());
      });
  return {sum, normed};
}

}  // namespace fovea
