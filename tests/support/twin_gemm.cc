#include "support/twin_gemm.h"

#include <cmath>
#include <numbers>

namespace fovea::testing {

using kernels::Activation;

double twin_activation(Activation activation, double z) {
  switch (activation) {
    case Activation::kNone:
      return z;
    case Activation::kRelu:
      return z > 0 ? z : 0;
    case Activation::kGelu:
      return 0.5 * z *
             (1 + std::tanh(std::sqrt(2 / std::numbers::pi) *
                            (z + 0.044715 * z * z * z)));
    case Activation::kTanh:
      return std::tanh(z);
    case Activation::kSigmoid:
      return 1 / (1 + std::exp(-z));
  }
  return 0;
}

double twin_activation_slope(Activation activation, double z) {
  const double y = twin_activation(activation, z);
  switch (activation) {
    case Activation::kNone:
      return 1;
    case Activation::kRelu:
      return z > 0 ? 1 : 0;
    case Activation::kGelu: {
      const double c = std::sqrt(2 / std::numbers::pi);
      const double t = std::tanh(c * (z + 0.044715 * z * z * z));
      return 0.5 * (1 + t) +
             0.5 * z * (1 - t * t) * c * (1 + 3 * 0.044715 * z * z);
    }
    case Activation::kTanh:
      return 1 - y * y;
    case Activation::kSigmoid:
      return y * (1 - y);
  }
  return 0;
}

Doubles twin_gemm(const TwinGemm& g, const Doubles& a, const Doubles& b,
                  const Doubles& bias, const Doubles& before) {
  Doubles c(g.rows * g.cols);
  for (int i = 0; i < g.rows; ++i) {
    for (int j = 0; j < g.cols; ++j) {
      double sum = 0;
      for (int k = 0; k < g.depth; ++k) {
        sum += (g.transpose_a ? a[k * g.rows + i] : a[i * g.depth + k]) *
               (g.transpose_b ? b[j * g.depth + k] : b[k * g.cols + j]);
      }
      sum *= g.alpha;
      if (!before.empty()) sum += before[i * g.cols + j];
      if (!bias.empty()) sum += bias[j];
      c[i * g.cols + j] = twin_activation(g.activation, sum);
    }
  }
  return c;
}

Doubles twin_linear(const TwinLinear& l, const std::vector<Doubles>& inputs) {
  return twin_gemm({.rows = l.rows,
                    .cols = l.out,
                    .depth = l.in,
                    .transpose_b = true,
                    .activation = l.activation},
                   inputs[0], inputs[1],
                   inputs.size() > 2 ? inputs[2] : Doubles{});
}

std::vector<Doubles> twin_linear_gradient(const TwinLinear& l,
                                          const std::vector<Doubles>& inputs,
                                          const Doubles& dy) {
  TwinLinear straight = l;
  straight.activation = Activation::kNone;
  Doubles dz = twin_linear(straight, inputs);
  for (size_t i = 0; i < dz.size(); ++i) {
    dz[i] = dy[i] * twin_activation_slope(l.activation, dz[i]);
  }
  std::vector<Doubles> d;
  for (const Doubles& x : inputs) d.emplace_back(x.size(), 0.0);
  for (int n = 0; n < l.rows; ++n) {
    for (int o = 0; o < l.out; ++o) {
      const double g = dz[n * l.out + o];
      for (int i = 0; i < l.in; ++i) {
        d[0][n * l.in + i] += g * inputs[1][o * l.in + i];
        d[1][o * l.in + i] += g * inputs[0][n * l.in + i];
      }
      if (d.size() > 2) d[2][o] += g;
    }
  }
  return d;
}

}  // namespace fovea::testing
