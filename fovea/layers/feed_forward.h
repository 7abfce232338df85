#pragma once

#include <string>

#include "fovea/base/fields.h"
#include "fovea/layers/linear.h"
#include "fovea/layers/pass.h"

namespace fovea::kernels {

// Beside the enum for the sake of fields.
constexpr EnumName<Activation> kActivations[] = {
    {Activation::kNone, "none"},
    {Activation::kRelu, "relu"},
    {Activation::kGelu, "gelu"},
    {Activation::kTanh, "tanh"},
    {Activation::kSigmoid, "sigmoid"}};
constexpr auto& enum_names(Activation) { return kActivations; }

}  // namespace fovea::kernels

namespace fovea {

struct FeedForwardConfig {
  int width = 0, hidden = 0;
  Activation activation = Activation::kRelu;
  float dropout = 0.0f;  // of the hidden numbers
};

// down(activation(up(x))), each row by itself (SPEC D8).
class FeedForward {
 public:
  FeedForward() = default;
  FeedForward(const FeedForwardConfig& config, RandomKey key);

  Var operator()(const Var& x, const Pass& pass) const;
  void params(Params& p);

 private:
  Linear up_, down_;
  Activation activation_ = Activation::kRelu;
  float dropout_ = 0.0f;
};

}  // namespace fovea
