#pragma once

#include <span>

#include "fovea/kernels/pairs.h"

namespace fovea::kernels {

// s(m,h,j) = <v[h], tanh(q[m,h] + k[key,h] + coverage(m,h,j) * w[h])>
// (SPEC A5, A6, B16).
struct AdditiveInputs {
  ConstMatrixView q;                // [M, heads * d]
  ConstMatrixView k;                // [N, key_heads * d]
  std::span<const float> v;         // [heads * d]
  const float* coverage = nullptr;  // a number for each pair, or none
  std::span<const float> coverage_weight = {};  // w [heads * d]
};
void additive_forward(const AdditiveInputs& in, const PairLayout& pairs,
                      float* s);

// Each may be left out; what is there is added to. The tanh is computed again:
// nothing of the size pairs x d is ever stored.
struct AdditiveGradients {
  MatrixView dq = {}, dk = {};
  std::span<float> dv = {};
  float* dcoverage = nullptr;
  std::span<float> dcoverage_weight = {};
};
void additive_backward(const AdditiveInputs& in, const PairLayout& pairs,
                       const float* ds, const AdditiveGradients& gradients);

}  // namespace fovea::kernels
