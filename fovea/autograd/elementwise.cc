#include "fovea/autograd/elementwise.h"

#include <utility>

#include "fovea/autograd/matrix.h"
#include "fovea/base/check.h"
#include "fovea/kernels/dropout.h"
#include "fovea/kernels/elementwise.h"
#include "fovea/kernels/function.h"
#include "fovea/kernels/reduce.h"

namespace fovea {
namespace {

bool is_row_of(const Var& y, const Var& x) {
  return y.shape() != x.shape() && y.shape().rank() == 1 &&
         x.shape().rank() > 0 && y.dim(0) == x.dim(-1);
}

void check_fit(const char* op, const Var& x, const Var& y, bool row_allowed) {
  check(x.shape() == y.shape() || (row_allowed && is_row_of(y, x)), op,
        ": shapes ", x.shape(), " and ", y.shape(), " do not fit");
}

// grad += a * b
void add_product(const Grad& grad, const Tensor& a, const Tensor& b) {
  if (!grad) return;
  auto [sum, accumulate] = grad.target();
  if (accumulate) {
    kernels::mul_add(a.span(), b.span(), sum.span());
  } else {
    kernels::mul(a.span(), b.span(), sum.span());
  }
}

// grad += a * dy
void add_multiple(const Grad& grad, float a, const Tensor& dy) {
  if (!grad) return;
  auto [sum, accumulate] = grad.target();
  if (accumulate) {
    kernels::add_scaled(a, dy.span(), sum.span());
  } else {
    kernels::scale(a, dy.span(), sum.span());
  }
}

Var add_row(const Var& x, const Var& row) {
  Tensor z(x.shape());
  kernels::add_row(matrix(x.value()), row.value().span(), matrix(z));
  return record(z, {x, row}, [](const Tensor& dy, Grads dx) {
    if (dx[0]) dx[0].add(dy);
    if (!dx[1]) return;
    auto [sum, accumulate] = dx[1].target();
    kernels::column_sums(matrix(dy), sum.span(), accumulate);
  });
}

Var mul_row(const Var& x, const Var& row) {
  const Tensor a = x.value(), b = row.value();
  Tensor z(x.shape());
  kernels::mul_row(matrix(a), b.span(), matrix(z));
  return record(z, {x, row}, [a, b](const Tensor& dy, Grads dx) {
    if (dx[0]) {
      auto [sum, accumulate] = dx[0].target();
      kernels::mul_row(matrix(dy), b.span(), matrix(sum), accumulate);
    }
    if (dx[1]) {
      auto [sum, accumulate] = dx[1].target();
      kernels::column_dots(matrix(a), matrix(dy), sum.span(), accumulate);
    }
  });
}

Var apply(kernels::Function f, const Var& x) {
  Tensor y(x.shape());
  kernels::apply(f, x.value().span(), y.span());
  const Tensor kept = kernels::derivative_uses_result(f) ? y : x.value();
  return record(y, {x}, [f, kept](const Tensor& dy, Grads dx) {
    auto [sum, accumulate] = dx[0].target();
    kernels::apply_backward(f, kept.span(), dy.span(), sum.span(), accumulate);
  });
}

// The shape of x with its last axis halved.
Shape halved(const char* op, const Var& x) {
  check(x.shape().rank() == 2 && x.dim(1) % 2 == 0, op, ": a value of shape ",
        x.shape(), " is not [N, 2D]");
  return {x.dim(0), x.dim(1) / 2};
}

}  // namespace

Var add(const Var& x, const Var& y) {
  check_fit("add", x, y, true);
  if (is_row_of(y, x)) return add_row(x, y);
  Tensor z(x.shape());
  kernels::add(x.value().span(), y.value().span(), z.span());
  return record(z, {x, y}, [](const Tensor& dy, Grads dx) {
    if (dx[0]) dx[0].add(dy);
    if (dx[1]) dx[1].add(dy);
  });
}

Var sub(const Var& x, const Var& y) {
  check_fit("sub", x, y, false);
  Tensor z(x.shape());
  kernels::sub(x.value().span(), y.value().span(), z.span());
  return record(z, {x, y}, [](const Tensor& dy, Grads dx) {
    if (dx[0]) dx[0].add(dy);
    add_multiple(dx[1], -1.0f, dy);
  });
}

Var mul(const Var& x, const Var& y) {
  check_fit("mul", x, y, true);
  if (is_row_of(y, x)) return mul_row(x, y);
  const Tensor a = x.value(), b = y.value();
  Tensor z(x.shape());
  kernels::mul(a.span(), b.span(), z.span());
  return record(z, {x, y}, [a, b](const Tensor& dy, Grads dx) {
    add_product(dx[0], dy, b);
    add_product(dx[1], dy, a);
  });
}

Var scale(const Var& x, float factor) {
  Tensor y(x.shape());
  kernels::scale(factor, x.value().span(), y.span());
  return record(y, {x}, [factor](const Tensor& dy, Grads dx) {
    add_multiple(dx[0], factor, dy);
  });
}

Var shift(const Var& x, float term) {
  Tensor y(x.shape());
  kernels::shift(term, x.value().span(), y.span());
  return record(y, {x}, [](const Tensor& dy, Grads dx) { dx[0].add(dy); });
}

Var scale_gradient(const Var& x, float factor) {
  return record(x.value(), {x}, [factor](const Tensor& dy, Grads dx) {
    add_multiple(dx[0], factor, dy);
  });
}

Var scale_rows(const Var& x, const Var& weights) {
  check(x.shape().rank() == 2 && weights.value().size() == x.dim(0),
        "scale_rows: weights of shape ", weights.shape(),
        " for the rows of a value of shape ", x.shape());
  const Tensor a = x.value(), w = weights.value();
  Tensor y(x.shape());
  kernels::mul_column(matrix(a), w.span(), matrix(y));
  return record(y, {x, weights}, [a, w](const Tensor& dy, Grads dx) {
    if (dx[0]) {
      auto [sum, accumulate] = dx[0].target();
      kernels::mul_column(matrix(dy), w.span(), matrix(sum), accumulate);
    }
    if (dx[1]) {
      auto [sum, accumulate] = dx[1].target();
      kernels::row_dots(matrix(a), matrix(dy), sum.span(), accumulate);
    }
  });
}

Var relu(const Var& x) { return apply(kernels::Function::kRelu, x); }
Var gelu(const Var& x) { return apply(kernels::Function::kGelu, x); }
Var tanh(const Var& x) { return apply(kernels::Function::kTanh, x); }
Var sigmoid(const Var& x) { return apply(kernels::Function::kSigmoid, x); }
Var silu(const Var& x) { return apply(kernels::Function::kSilu, x); }
Var softplus(const Var& x) { return apply(kernels::Function::kSoftplus, x); }
Var exp(const Var& x) { return apply(kernels::Function::kExp, x); }
Var log(const Var& x) { return apply(kernels::Function::kLog, x); }

Var glu(const Var& x) {
  const Tensor a = x.value();
  Tensor y(halved("glu", x));
  kernels::glu(matrix(a), matrix(y));
  return record(y, {x}, [a](const Tensor& dy, Grads dx) {
    auto [sum, accumulate] = dx[0].target();
    kernels::glu_backward(matrix(a), matrix(dy), matrix(sum), accumulate);
  });
}

Var maxout(const Var& x) {
  const Tensor a = x.value();
  Tensor y(halved("maxout", x));
  kernels::maxout(a.span(), y.span());
  return record(y, {x}, [a](const Tensor& dy, Grads dx) {
    auto [sum, accumulate] = dx[0].target();
    kernels::maxout_backward(a.span(), dy.span(), sum.span(), accumulate);
  });
}

Var dropout(const Var& x, float rate, RandomKey key) {
  check(rate >= 0.0f && rate < 1.0f, "dropout: a rate of ", rate,
        " is not in [0, 1)");
  if (rate == 0.0f) return x;
  const kernels::Dropout drop{rate, key};
  Tensor y(x.shape());
  kernels::dropout(x.value().span(), drop, y.span());
  return record(y, {x}, [drop](const Tensor& dy, Grads dx) {
    auto [sum, accumulate] = dx[0].target();
    kernels::dropout(dy.span(), drop, sum.span(), accumulate);
  });
}

}  // namespace fovea
