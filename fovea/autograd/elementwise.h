#pragma once

#include <cstdint>

#include "fovea/autograd/var.h"
#include "fovea/base/rng.h"

namespace fovea {

// Of two values of one shape. In add and mul, y may also be a row [D], which
// meets every row of x [..., D].
Var add(const Var& x, const Var& y);
Var sub(const Var& x, const Var& y);
Var mul(const Var& x, const Var& y);
inline Var operator+(const Var& x, const Var& y) { return add(x, y); }
inline Var operator-(const Var& x, const Var& y) { return sub(x, y); }
inline Var operator*(const Var& x, const Var& y) { return mul(x, y); }

Var scale(const Var& x, float factor);
Var shift(const Var& x, float term);
// x itself; its gradient is multiplied by the factor.
Var scale_gradient(const Var& x, float factor);
inline Var operator*(float factor, const Var& x) { return scale(x, factor); }
inline Var operator-(const Var& x) { return scale(x, -1.0f); }

// Row i of x [N,D] times weights[i]; weights is [N] or [N,1].
Var scale_rows(const Var& x, const Var& weights);

Var relu(const Var& x);
Var gelu(const Var& x);  // tanh form
Var tanh(const Var& x);
Var sigmoid(const Var& x);
Var silu(const Var& x);
Var softplus(const Var& x);
Var exp(const Var& x);
Var log(const Var& x);

// [N,2D] -> [N,D]: the first half times the sigmoid of the second.
Var glu(const Var& x);
// [N,2D] -> [N,D]: the larger of each two neighbours.
Var maxout(const Var& x);

// Inverted dropout: element i is zero with probability `rate`, by
// random_bits(key, i), or else divided by 1 - rate. 0 <= rate < 1.
Var dropout(const Var& x, float rate, RandomKey key);

}  // namespace fovea
