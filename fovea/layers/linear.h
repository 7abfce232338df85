#pragma once

#include <memory>
#include <span>

#include "fovea/autograd/linear.h"
#include "fovea/base/rng.h"
#include "fovea/layers/packed_weight.h"
#include "fovea/layers/params.h"

namespace fovea {

// x weight^T + bias, and an activation.
class Linear {
 public:
  Linear() = default;
  // Xavier uniform; the bias is zero.
  Linear(int64_t in, int64_t out, bool with_bias, RandomKey key);
  // With a weight that another layer has, and lists among its parameters.
  static Linear tied(const Var& weight, bool with_bias);
  // Weight-normalised (Salimans and Kingma 2016): rows of the weight are
  // directions, their lengths are parameters of their own. Normal with
  // deviation sqrt((1 - dropout) / in), as Gehring et al. 2017 begin layers
  // that read what `dropout` has thinned out; with a bias.
  static Linear normed(int64_t in, int64_t out, float dropout, RandomKey key);

  Var operator()(const Var& x, Activation activation = Activation::kNone) const;
  explicit operator bool() const { return static_cast<bool>(weight); }
  void params(Params& p);
  // The layer with some of its outputs only, in this order; for inference.
  Linear outputs(std::span<const int> some) const;
  // The same layer for the steps of one loop: see LoopWeight.
  Linear looped() const;

  Var weight, bias;  // [out,in], [out] or empty
  Var gain;          // [out], lengths of the weight's rows; empty: their own

 private:
  Var matrix() const;  // that x is multiplied by

  bool tied_ = false;
  PackedWeight packed_;
  std::shared_ptr<const LoopWeight> loop_;
};

}  // namespace fovea
