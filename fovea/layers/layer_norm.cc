#include "fovea/layers/layer_norm.h"

namespace fovea {

LayerNorm::LayerNorm(int width, float epsilon) {
  norm_ = {.gain = Var::parameter(Tensor::full({width}, 1.0f)),
           .bias = Var::parameter(Tensor::zeros({width})),
           .epsilon = epsilon};
}

void LayerNorm::params(Params& p) {
  p("gain", norm_.gain);
  p("bias", norm_.bias);
}

}  // namespace fovea
