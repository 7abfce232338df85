#pragma once

#include "fovea/base/rng.h"
#include "fovea/tensor/tensor.h"

namespace fovea {

Tensor normal_init(const Shape& shape, RandomKey key, float deviation,
                   float mean = 0.0f);
Tensor uniform_init(const Shape& shape, RandomKey key, float bound);
// Uniform in +-sqrt(6 / (in + out)) for a weight [out, in] (Glorot and Bengio
// 2010).
Tensor xavier_init(int64_t out, int64_t in, RandomKey key);
// Normal with deviation sqrt(2 / in) for layers before a rectifier (He et al.
// 2015). The first axis is the output, the others are the input.
Tensor he_init(const Shape& shape, RandomKey key);

}  // namespace fovea
