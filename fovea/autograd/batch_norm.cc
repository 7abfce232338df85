#include "fovea/autograd/batch_norm.h"

#include <cmath>

#include "fovea/autograd/matrix.h"
#include "fovea/base/check.h"
#include "fovea/kernels/batch_norm.h"

namespace fovea {
namespace {

void check_arguments(const Var& x, const Var& gain, const Var& bias,
                     const ColumnStatistics& statistics) {
  check(x.shape().rank() >= 2, "batch_norm: x of shape ", x.shape());
  const Shape columns{x.value().cols()};
  check(gain.shape() == columns && bias.shape() == columns,
        "batch_norm: gain of shape ", gain.shape(), " and bias of shape ",
        bias.shape(), " for x of shape ", x.shape());
  check(statistics.mean.shape() == columns &&
            statistics.variance.shape() == columns,
        "batch_norm: statistics of shape ", statistics.mean.shape(), " and ",
        statistics.variance.shape(), " for x of shape ", x.shape());
}

Tensor inverse_deviation(const Tensor& variance, float epsilon) {
  Tensor inverse(variance.shape());
  for (int64_t j = 0; j < variance.size(); ++j) {
    inverse[j] = static_cast<float>(
        1.0 / std::sqrt(double{variance[j]} + double{epsilon}));
  }
  return inverse;
}

// `constant`: mean and inverse do not depend on x.
Var normalise(const Var& x, const Var& gain, const Var& bias,
              const Tensor& mean, const Tensor& inverse, bool constant) {
  const Tensor a = x.value(), g = gain.value();
  Tensor y(a.shape());
  kernels::normalise_columns(
      matrix(a), {mean.span(), inverse.span(), g.span(), bias.value().span()},
      matrix(y));
  return record(
      y, {x, gain, bias},
      [a, g, mean, inverse, constant](const Tensor& dy, Grads dx) {
        const kernels::ColumnNorm norm{
            mean.span(), inverse.span(), g.span(), {}};
        const Tensor dgain(g.shape()), dbias(g.shape());
        kernels::column_norm_sums(matrix(a), matrix(dy), norm, dgain.span(),
                                  dbias.span());
        if (dx[0]) {
          const auto [sum, accumulate] = dx[0].target();
          kernels::ColumnNormGradient gradient{.accumulate = accumulate};
          if (!constant) {
            gradient.dgain = dgain.span();
            gradient.dbias = dbias.span();
          }
          kernels::normalise_columns_backward(matrix(a), matrix(dy), norm,
                                              gradient, matrix(sum));
        }
        if (dx[1]) dx[1].add(dgain);
        if (dx[2]) dx[2].add(dbias);
      });
}

// running + momentum * (fresh * factor - running)
Tensor moved(const Tensor& running, const Tensor& fresh, double factor,
             double momentum) {
  Tensor out(running.shape());
  for (int64_t j = 0; j < out.size(); ++j) {
    out[j] = static_cast<float>((1.0 - momentum) * running[j] +
                                momentum * factor * fresh[j]);
  }
  return out;
}

}  // namespace

BatchNormed batch_norm(const Var& x, const Var& gain, const Var& bias,
                       const ColumnStatistics& running,
                       const BatchNormOptions& options) {
  check_arguments(x, gain, bias, running);
  const Tensor a = x.value();
  if (a.size() == 0) {  // nothing to learn from
    return {batch_norm_fixed(x, gain, bias, running, options), running};
  }
  const Tensor mean(running.mean.shape()), variance(running.mean.shape());
  kernels::column_statistics(matrix(a), mean.span(), variance.span());
  const Tensor inverse = inverse_deviation(variance, options.epsilon);
  const double rows = static_cast<double>(a.rows());
  const double unbiased = rows > 1 ? rows / (rows - 1) : 1.0;
  return {normalise(x, gain, bias, mean, inverse, false),
          {moved(running.mean, mean, 1.0, options.momentum),
           moved(running.variance, variance, unbiased, options.momentum)}};
}

Var batch_norm_fixed(const Var& x, const Var& gain, const Var& bias,
                     const ColumnStatistics& statistics,
                     const BatchNormOptions& options) {
  check_arguments(x, gain, bias, statistics);
  return normalise(x, gain, bias, statistics.mean,
                   inverse_deviation(statistics.variance, options.epsilon),
                   true);
}

}  // namespace fovea
