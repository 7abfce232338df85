#include "support/twin_elementwise.h"

#include <cmath>
#include <numbers>

namespace fovea::testing {
namespace {

double logistic(double x) { return 1.0 / (1.0 + std::exp(-x)); }

}  // namespace

double twin_function(kernels::Function f, double x) {
  using kernels::Function;
  switch (f) {
    case Function::kRelu:
      return x > 0 ? x : 0;
    case Function::kGelu:
      return 0.5 * x *
             (1 + std::tanh(std::sqrt(2 / std::numbers::pi) *
                            (x + 0.044715 * x * x * x)));
    case Function::kTanh:
      return std::tanh(x);
    case Function::kSigmoid:
      return logistic(x);
    case Function::kSilu:
      return x * logistic(x);
    case Function::kSoftplus:
      return x > 30 ? x + std::exp(-x) : std::log1p(std::exp(x));
    case Function::kExp:
      return std::exp(x);
    case Function::kLog:
      return std::log(x);
  }
  return 0;
}

double twin_derivative(kernels::Function f, double x) {
  using kernels::Function;
  switch (f) {
    case Function::kRelu:
      return x > 0 ? 1 : 0;
    case Function::kGelu: {
      const double c = std::sqrt(2 / std::numbers::pi);
      const double t = std::tanh(c * (x + 0.044715 * x * x * x));
      return 0.5 * (1 + t) +
             0.5 * x * (1 - t * t) * c * (1 + 3 * 0.044715 * x * x);
    }
    case Function::kTanh:
      return 1 - std::tanh(x) * std::tanh(x);
    case Function::kSigmoid:
      return logistic(x) * (1 - logistic(x));
    case Function::kSilu:
      return logistic(x) * (1 + x * (1 - logistic(x)));
    case Function::kSoftplus:
      return logistic(x);
    case Function::kExp:
      return std::exp(x);
    case Function::kLog:
      return 1 / x;
  }
  return 0;
}

Doubles twin_apply(kernels::Function f, const Doubles& x) {
  Doubles y(x.size());
  for (size_t i = 0; i < x.size(); ++i) y[i] = twin_function(f, x[i]);
  return y;
}

Doubles twin_apply_backward(kernels::Function f, const Doubles& x,
                            const Doubles& dy) {
  Doubles dx(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    dx[i] = dy[i] * twin_derivative(f, x[i]);
  }
  return dx;
}

Doubles twin_glu(const Doubles& x, int cols) {
  Doubles y(x.size() / 2);
  for (size_t i = 0; i < y.size(); ++i) {
    const size_t a = i / cols * 2 * cols + i % cols;
    y[i] = x[a] * logistic(x[a + cols]);
  }
  return y;
}

Doubles twin_glu_backward(const Doubles& x, const Doubles& dy, int cols) {
  Doubles dx(x.size());
  for (size_t i = 0; i < dy.size(); ++i) {
    const size_t a = i / cols * 2 * cols + i % cols;
    const double s = logistic(x[a + cols]);
    dx[a] = dy[i] * s;
    dx[a + cols] = dy[i] * x[a] * s * (1 - s);
  }
  return dx;
}

Doubles twin_maxout(const Doubles& x) {
  Doubles y(x.size() / 2);
  for (size_t i = 0; i < y.size(); ++i) {
    y[i] = x[2 * i] < x[2 * i + 1] ? x[2 * i + 1] : x[2 * i];
  }
  return y;
}

Doubles twin_maxout_backward(const Doubles& x, const Doubles& dy) {
  Doubles dx(x.size(), 0.0);
  for (size_t i = 0; i < dy.size(); ++i) {
    dx[x[2 * i] < x[2 * i + 1] ? 2 * i + 1 : 2 * i] = dy[i];
  }
  return dx;
}

}  // namespace fovea::testing
