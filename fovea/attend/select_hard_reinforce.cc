#include "fovea/attend/select_hard_reinforce.h"

#include "fovea/attend/reinforce.h"

namespace fovea {
namespace {

struct HardReinforceConfig {
  float semi_sampling = 0.5f;
  TestChoice test = TestChoice::kArgmax;
  void fields(auto&& field) {
    field("semi-sampling", semi_sampling,
          "how often, in training, a call takes the mean instead of a draw");
    field("test", test, "what is done outside of training");
  }
};

class HardReinforce : public Select {
 public:
  explicit HardReinforce(const HardReinforceConfig& config)
      : config_(config), baseline_(Tensor::zeros({1})) {}
  void params(Params& p) override { p.buffer("baseline", baseline_); }

  bool acts(const Pass& pass) const override {
    return pass.training || config_.test == TestChoice::kArgmax;
  }

  Var choose(const Var& weights, const Pairs& pairs, const Segments& of,
             const Pass& pass) const override {
    if (!acts(pass)) return weights;
    if (!pass.training) {
      return one_hot(choose_largest(weights.value(), pairs), pairs);
    }
    // One coin for the whole call.
    const bool mean =
        random_uniform(pass.key.with("coin"), 0) < config_.semi_sampling;
    const Chosen chosen =
        choose_by_draw(weights.value(), pairs, pass.key.with("draw"));
    if (pass.choices) {
      pass.choices->push_back(
          {.name = pass.name(),
           .log_probability = mean ? Var(Tensor::zeros({pairs.rows()}))
                                   : log_probabilities(weights, chosen, pairs),
           .entropy = entropies(weights, pairs),
           .of = of,
           .baseline = baseline_});
    }
    return mean ? weights : Var(one_hot(chosen, pairs));
  }

 private:
  HardReinforceConfig config_;
  Tensor baseline_;  // of the cost
};

}  // namespace

std::unique_ptr<Select> make_hard_reinforce(const PartContext& context) {
  HardReinforceConfig config;
  context.settings.read(config);
  check_option(config.semi_sampling >= 0 && config.semi_sampling <= 1,
               "semi-sampling", config.semi_sampling,
               "give a probability, 0 to 1");
  return std::make_unique<HardReinforce>(config);
}

}  // namespace fovea
