#include "fovea/attend/score_tanh.h"

#include <algorithm>
#include <cmath>

#include "fovea/autograd/gather.h"
#include "fovea/autograd/weight_norm.h"
#include "fovea/base/check.h"
#include "fovea/layers/init.h"

namespace fovea {
namespace {

constexpr float kBahdanauDeviation = 0.001f;

struct HiddenConfig {
  int hidden = 0;
  void fields(auto&& field) {
    field("hidden", hidden,
          "width of a head inside the tanh; 0: query width / heads");
  }
};

}  // namespace

int hidden_size(const PartContext& context) {
  HiddenConfig config;
  context.settings.read(config);
  check_option(config.hidden >= 0, "hidden", config.hidden, "give 0 or more");
  if (config.hidden > 0) return config.hidden;
  return std::max(1, context.sizes.query / context.score.heads);
}

TanhScore::TanhScore(const PartContext& context, int size)
    : heads_(context.score.heads),
      key_heads_(context.score.key_heads),
      size_(size) {
  context.settings.read(config_);
  const bool zero = config_.init == TanhConfig::Init::kBahdanau;
  check_usage(!zero || !config_.normalise,
              "init bahdanau and normalise do not go together: v = 0 has no "
              "direction");
  const float bound = 1 / std::sqrt(static_cast<float>(size));
  const RandomKey key = context.key.with("score");
  v_ = Var::parameter(
      uniform_init({queries()}, key.with("v"), zero ? 0.0f : bound));
  if (config_.normalise) gain_ = Var::parameter(Tensor::full({heads_}, bound));
  if (context.config.coverage) {
    coverage_ =
        Var::parameter(uniform_init({queries()}, key.with("coverage"), bound));
  }
}

void TanhScore::params(Params& p) {
  p("v", v_);
  p("gain", gain_);
  p("coverage", coverage_);
}

Var TanhScore::new_weight(int out, int in, RandomKey key) const {
  const bool xavier = config_.init == TanhConfig::Init::kXavier;
  return Var::parameter(xavier
                            ? xavier_init(out, in, key)
                            : normal_init({out, in}, key, kBahdanauDeviation));
}

Var TanhScore::new_bias() const {
  if (!config_.bias && !config_.normalise) return {};
  return Var::parameter(Tensor::zeros({queries()}));
}

Var TanhScore::score(const Var& q, const Var& k, const Pairs& pairs,
                     const Var& coverage) const {
  Var v = v_;
  if (gain_) {
    v = reshape(weight_norm(reshape(v, {heads_, size_}), gain_), v.shape());
  }
  if (!coverage) return pair_additive(q, k, v, pairs);
  return pair_additive(q, k, v, pairs, coverage, coverage_);
}

}  // namespace fovea
