#include "fovea/layers/linear.h"

#include <cmath>

#include "fovea/autograd/elementwise.h"
#include "fovea/autograd/gather.h"
#include "fovea/autograd/weight_norm.h"
#include "fovea/base/check.h"
#include "fovea/layers/init.h"

namespace fovea {

Linear::Linear(int64_t in, int64_t out, bool with_bias, RandomKey key)
    : weight(Var::parameter(xavier_init(out, in, key))) {
  if (with_bias) bias = Var::parameter(Tensor::zeros({out}));
}

Linear Linear::tied(const Var& weight, bool with_bias) {
  Linear linear;
  linear.weight = weight;
  linear.tied_ = true;
  if (with_bias) linear.bias = Var::parameter(Tensor::zeros({weight.dim(0)}));
  return linear;
}

Linear Linear::normed(int64_t in, int64_t out, float dropout, RandomKey key) {
  const float deviation = std::sqrt((1 - dropout) / static_cast<float>(in));
  const Tensor directions = normal_init({out, in}, key, deviation);
  Linear linear;
  linear.weight = Var::parameter(directions);
  linear.bias = Var::parameter(Tensor::zeros({out}));
  linear.gain = Var::parameter(slice_lengths(directions));
  return linear;
}

Var Linear::matrix() const {
  check(static_cast<bool>(weight.value()),
        "linear: this layer was loaded for inference and has no gradient");
  return gain ? weight_norm(weight, gain) : weight;
}

Var Linear::operator()(const Var& x, Activation activation) const {
  const bool recorded = recording({x, weight, bias});
  if (packed_ && !recorded) return packed_(x, bias, activation);
  if (loop_ && (loop_->weight || !recorded)) {
    return linear(x, loop_, bias, activation);
  }
  return linear(x, matrix(), bias, activation);
}

Linear Linear::outputs(std::span<const int> some) const {
  const NoGrad none;
  Linear part;
  if (bias) {
    const Var column = reshape(bias, {bias.dim(0), 1});
    part.bias = reshape(gather(column, some), {std::ssize(some)});
  }
  if (packed_) {
    part.packed_ = packed_.outputs(some);
  } else {
    part.weight = gather(matrix(), some);
  }
  return part;
}

Linear Linear::looped() const {
  Linear copy = *this;
  if (!packed_ || recording({weight})) copy.loop_ = loop_weight(matrix());
  return copy;
}

void Linear::params(Params& p) {
  if (!tied_) p("weight", weight);
  p("bias", bias);
  p("gain", gain);
  p.weight(weight, packed_, &gain);
}

}  // namespace fovea
