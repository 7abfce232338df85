#pragma once

#include <vector>

#include "fovea/kernels/epilogue.h"
#include "support/gradients.h"

namespace fovea::testing {

double twin_activation(kernels::Activation activation, double z);
double twin_activation_slope(kernels::Activation activation, double z);

struct TwinGemm {
  int rows = 0, cols = 0, depth = 0;
  bool transpose_a = false, transpose_b = false;
  double alpha = 1;
  kernels::Activation activation = kernels::Activation::kNone;
};

// activation(before + alpha op(a) op(b) + bias); before and bias may be empty.
Doubles twin_gemm(const TwinGemm& g, const Doubles& a, const Doubles& b,
                  const Doubles& bias = {}, const Doubles& before = {});

// y = activation(x w^T + bias) with x [rows,in], w [out,in]: inputs are
// {x, w, bias} or {x, w}.
struct TwinLinear {
  int rows = 0, in = 0, out = 0;
  kernels::Activation activation = kernels::Activation::kNone;
};
Doubles twin_linear(const TwinLinear& l, const std::vector<Doubles>& inputs);
std::vector<Doubles> twin_linear_gradient(const TwinLinear& l,
                                          const std::vector<Doubles>& inputs,
                                          const Doubles& dy);

}  // namespace fovea::testing
