#include "fovea/train/config.h"

#include <cmath>

#include "fovea/base/check.h"
#include "fovea/train/loss_weights.h"

namespace fovea {
namespace {

template <class Number>
void at_least(Number least, Number value, const char* flag) {
  check_usage(value >= least && std::isfinite(static_cast<double>(value)), flag,
              " ", value, ": give ", least, " or more");
}

void below_one(float value, const char* flag) {
  check_usage(value >= 0 && value < 1, flag, " ", value,
              ": give a number from 0 to below 1");
}

void check_optimizer(const OptimizerConfig& config) {
  below_one(config.beta1, "--beta1");
  below_one(config.beta2, "--beta2");
  below_one(config.momentum, "--momentum");
  below_one(config.decay, "--rho");
  at_least(0.0f, config.epsilon, "--epsilon");
  at_least(0.0f, config.weight_decay, "--weight-decay");
  at_least(0.0f, config.clip_norm, "--clip-norm");
  at_least(0.0f, config.clip_value, "--clip-value");
}

}  // namespace

void check_trainer(const TrainerConfig& config) {
  at_least<int64_t>(0, config.max_steps, "--max-steps");
  at_least<int64_t>(0, config.max_epochs, "--max-epochs");
  at_least(1, config.accumulate, "--accumulate");
  check_usage(config.teacher_forcing >= 0 && config.teacher_forcing <= 1,
              "--teacher-forcing ", config.teacher_forcing,
              ": give a number from 0 to 1");
  below_one(config.label_smoothing, "--label-smoothing");
  at_least(0.0f, config.guided_alignment_weight, "--guided-alignment-weight");
  const LossWeights weights(config.loss_weights);
  at_least<int64_t>(0, config.valid_freq, "--valid-freq");
  at_least<int64_t>(0, config.save_freq, "--save-freq");
  at_least(0.0f, config.save_minutes, "--save-minutes");
  at_least<int64_t>(0, config.display_freq, "--display-freq");
  at_least(0, config.early_stopping, "--early-stopping");
  at_least(0, config.keep, "--keep");
  at_least(0, config.average, "--average");
  below_one(config.smoothing, "--exponential-smoothing");
  check_optimizer(config.optimizer);
  check_schedule(config.schedule,
                 {.steps = config.max_steps, .width = config.width});
}

}  // namespace fovea
