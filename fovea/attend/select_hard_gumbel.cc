#include "fovea/attend/select_hard_gumbel.h"

#include <algorithm>
#include <cmath>

#include "fovea/attend/hard_choice.h"
#include "fovea/autograd/elementwise.h"
#include "fovea/autograd/softmax.h"

namespace fovea {
namespace {

struct HardGumbelConfig {
  float tau = 1.0f;
  TestChoice test = TestChoice::kArgmax;
  void fields(auto&& field) {
    field("tau", tau, "temperature of the softmax that the gradient sees");
    field("test", test, "what is done outside of training");
  }
};

constexpr float kLeast = 1e-8f;  // guards a division

// A weight of 0 hides its key and has no gradient.
Var log_of_weights(const Var& weights) {
  const Tensor w = weights.value();
  const Tensor y(w.shape());
  for (int64_t i = 0; i < w.size(); ++i) {
    y[i] = w[i] > 0 ? std::log(w[i]) : -INFINITY;
  }
  return record(y, {weights}, [w](const Tensor& dy, Grads dx) {
    const Tensor dw = dx[0].sum();
    for (int64_t i = 0; i < w.size(); ++i) {
      if (w[i] > 0) dw[i] += dy[i] / std::max(w[i], kLeast);
    }
  });
}

Tensor gumbel_noise(const Pairs& pairs, RandomKey key) {
  Tensor noise({pairs.size()});
  for (int64_t m = 0; m < pairs.rows(); ++m) {
    const RandomKey of_row = row_key(key, pairs.row(m));
    const int64_t end = pairs.begin(m, pairs.heads());
    for (int64_t i = pairs.begin(m, 0); i < end; ++i) {
      const float u = random_uniform(of_row, static_cast<uint32_t>(i));
      noise[i] = -std::log(-std::log(u));
    }
  }
  return noise;
}

class HardGumbel : public Select {
 public:
  explicit HardGumbel(const HardGumbelConfig& config) : config_(config) {}

  bool acts(const Pass& pass) const override {
    return pass.training || config_.test == TestChoice::kArgmax;
  }

  Var choose(const Var& weights, const Pairs& pairs, const Segments&,
             const Pass& pass) const override {
    if (!acts(pass)) return weights;
    if (!pass.training) {
      return one_hot(choose_largest(weights.value(), pairs), pairs);
    }
    const Var noisy =
        log_of_weights(weights) + gumbel_noise(pairs, pass.key.with("gumbel"));
    const Var soft = softmax(scale(noisy, 1 / config_.tau), pairs.segments());
    // Straight through: the gradient of the choice is that of `soft`.
    return record(one_hot(choose_largest(soft.value(), pairs), pairs), {soft},
                  [](const Tensor& dy, Grads dx) { dx[0].add(dy); });
  }

 private:
  HardGumbelConfig config_;
};

}  // namespace

std::unique_ptr<Select> make_hard_gumbel(const PartContext& context) {
  HardGumbelConfig config;
  context.settings.read(config);
  check_option(std::isfinite(config.tau) && config.tau > 0, "tau", config.tau,
               "give more than 0");
  return std::make_unique<HardGumbel>(config);
}

}  // namespace fovea
