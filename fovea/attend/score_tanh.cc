#include "fovea/attend/score_tanh.h"

#include <algorithm>
#include <cmath>

#include "fovea/autograd/gather.h"
#include "fovea/autograd/weight_norm.h"
#include "fovea/base/check.h"

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
  const bool zero = config_.init == RecurrentInit::kBahdanau;
  check_usage(!zero || !config_.normalise,
              "init bahdanau and normalise do not go together: v = 0 has no "
              "direction");
  const RandomKey key = context.key.with("score");
  v_ = zero ? Var::parameter(uniform_init({queries()}, key, 0.0f))
            : new_vector(key.with("v"));
  if (config_.normalise) {
    gain_ = Var::parameter(Tensor::full({heads_}, unit_bound()));
  }
  if (context.config.coverage) coverage_ = new_vector(key.with("coverage"));
}

void TanhScore::params(Params& p) {
  p("v", v_);
  p("gain", gain_);
  p("coverage", coverage_);
}

Var TanhScore::new_weight(int out, int in, RandomKey key) const {
  return Var::parameter(config_.init == RecurrentInit::kBahdanau
                            ? normal_init({out, in}, key, kBahdanauDeviation)
                            : input_init(config_.init, 1, out, in, key));
}

Var TanhScore::new_vector(RandomKey key) const {
  if (config_.init != RecurrentInit::kLuong) {
    return Var::parameter(uniform_init({queries()}, key, unit_bound()));
  }
  return Var::parameter(
      input_init(config_.init, 1, queries(), 1, key).reshaped({queries()}));
}

float TanhScore::unit_bound() const {
  return 1 / std::sqrt(static_cast<float>(size_));
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
