#include "fovea/layers/batch_norm.h"

namespace fovea {

BatchNorm::BatchNorm(int64_t channels, const BatchNormOptions& options)
    : gain(Var::parameter(Tensor::full({channels}, 1.0f))),
      bias(Var::parameter(Tensor::zeros({channels}))),
      running{Tensor::zeros({channels}), Tensor::full({channels}, 1.0f)},
      options_(options) {}

Var BatchNorm::operator()(const Var& x, const Pass& pass) const {
  if (!pass.training) return batch_norm_fixed(x, gain, bias, running, options_);
  const BatchNormed out = batch_norm(x, gain, bias, running, options_);
  if (pass.updates) {
    pass.updates->push_back({running.mean, out.running.mean});
    pass.updates->push_back({running.variance, out.running.variance});
  }
  return out.y;
}

void BatchNorm::params(Params& p) {
  p("gain", gain);
  p("bias", bias);
  p.buffer("mean", running.mean);
  p.buffer("variance", running.variance);
}

}  // namespace fovea
