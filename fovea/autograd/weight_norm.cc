#include "fovea/autograd/weight_norm.h"

#include <cmath>

#include "fovea/base/check.h"
#include "fovea/base/parallel.h"
#include "fovea/kernels/elementwise.h"
#include "fovea/kernels/reduce.h"

namespace fovea {
namespace {

// Calls body(row) for each slice of the first axis.
template <class Body>
void for_slices(const Tensor& v, Body body) {
  const int64_t grain = 1 + (1 << 15) * v.dim(0) / (v.size() + 1);
  parallel_for(v.dim(0), grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) body(i);
  });
}

std::span<float> slice(const Tensor& t, int64_t i) {
  const int64_t width = t.size() / t.dim(0);
  return {t.data() + i * width, static_cast<size_t>(width)};
}

}  // namespace

Var weight_norm(const Var& v, const Var& gain, float floor) {
  check(v.shape().rank() >= 1 && gain.shape() == Shape{v.dim(0)},
        "weight_norm: gain of shape ", gain.shape(), " for v of shape ",
        v.shape());
  const Tensor a = v.value(), g = gain.value();
  const Tensor w(a.shape()), inverse(g.shape());  // inverse = 1 / |v|
  for_slices(a, [&](int64_t i) {
    const double norm = std::sqrt(kernels::sum_of_squares(slice(a, i)));
    inverse[i] = norm > floor ? static_cast<float>(1.0 / norm) : 0.0f;
    kernels::scale(g[i] * inverse[i], slice(a, i), slice(w, i));
  });
  return record(w, {v, gain}, [a, g, inverse](const Tensor& dw, Grads dx) {
    const Tensor dv = dx[0] ? dx[0].sum() : Tensor();
    const Tensor dgain = dx[1] ? dx[1].sum() : Tensor();
    for_slices(a, [&](int64_t i) {
      const double along = kernels::dot(slice(dw, i), slice(a, i)) * inverse[i];
      if (dgain) dgain[i] += static_cast<float>(along);
      if (!dv) return;
      // Only what turns v matters: the part of dw along v is taken out.
      const float factor = g[i] * inverse[i];
      kernels::add_scaled(factor, slice(dw, i), slice(dv, i));
      kernels::add_scaled(static_cast<float>(-factor * along * inverse[i]),
                          slice(a, i), slice(dv, i));
    });
  });
}

}  // namespace fovea
