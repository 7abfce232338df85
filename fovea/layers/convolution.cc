#include "fovea/layers/convolution.h"

#include <vector>

#include "fovea/autograd/gather.h"
#include "fovea/autograd/weight_norm.h"
#include "fovea/base/check.h"
#include "fovea/layers/init.h"

namespace fovea {

Convolution::Convolution(const ConvolutionConfig& config, RandomKey key)
    : config_(config) {
  check_usage(config.taps >= 1, "a convolution of ", config.taps,
              " rows: give at least 1");
  const Tensor first =
      normal_init({config.out, config.taps, config.in}, key, config.deviation);
  weight_ = Var::parameter(first);
  bias_ = Var::parameter(Tensor::zeros({config.out}));
  if (config.normed) gain_ = Var::parameter(slice_lengths(first));
}

Var Convolution::weights() const {
  check(static_cast<bool>(weight_.value()),
        "convolution: this layer was loaded for inference and has no gradient");
  return gain_ ? weight_norm(weight_, gain_) : weight_;
}

Var Convolution::operator()(const Var& x, const Segments& of) const {
  if (packed_ && !recording({x, weight_})) return of_windows(windows(x, of));
  return conv1d(x, of, weights(), bias_, {.reach = config_.reach});
}

Var Convolution::of_windows(const Var& windows) const {
  if (packed_ && !recording({windows, weight_})) {
    return packed_(windows, bias_, Activation::kNone);
  }
  return linear(windows, reshape(weights(), {config_.out, windows.dim(1)}),
                bias_);
}

Var Convolution::windows(const Var& x, const Segments& of) const {
  // Row 0 stands for what is beyond the ends.
  const Var rows = concat_rows({Tensor::zeros({1, x.dim(1)}), x});
  const auto before =
      static_cast<int>(rows_before({.reach = config_.reach}, config_.taps));
  std::vector<int> ids;
  ids.reserve(of.total() * config_.taps);
  for (int b = 0; b < of.count(); ++b) {
    for (int t = of.begin(b); t < of.end(b); ++t) {
      for (int k = 0; k < config_.taps; ++k) {
        const int row = t + k - before;
        ids.push_back(row >= of.begin(b) && row < of.end(b) ? row + 1 : 0);
      }
    }
  }
  return reshape(gather(rows, ids), {of.total(), config_.taps * x.dim(1)});
}

void Convolution::params(Params& p) {
  p("weight", weight_);
  p("bias", bias_);
  p("gain", gain_);
  p.weight(weight_, packed_, &gain_);
}

}  // namespace fovea
