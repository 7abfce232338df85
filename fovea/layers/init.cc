#include "fovea/layers/init.h"

#include <cmath>

#include "fovea/base/check.h"

namespace fovea {

Tensor normal_init(const Shape& shape, RandomKey key, float deviation,
                   float mean) {
  Tensor t(shape);
  fill_normal(key, mean, deviation, t.span());
  return t;
}

Tensor uniform_init(const Shape& shape, RandomKey key, float bound) {
  Tensor t(shape);
  fill_uniform(key, -bound, bound, t.span());
  return t;
}

Tensor xavier_init(int64_t out, int64_t in, RandomKey key) {
  check(in > 0 && out > 0, "a weight of ", out, " x ", in, " has no elements");
  return uniform_init({out, in}, key,
                      std::sqrt(6.0f / static_cast<float>(in + out)));
}

Tensor he_init(const Shape& shape, RandomKey key) {
  check(shape.size() > 0, "a weight of shape ", shape, " has no elements");
  const auto in = static_cast<float>(shape.size() / shape[0]);
  return normal_init(shape, key, std::sqrt(2.0f / in));
}

}  // namespace fovea
