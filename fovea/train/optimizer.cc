#include "fovea/train/optimizer.h"

#include <cmath>

#include "fovea/base/check.h"
#include "fovea/kernels/adafactor.h"
#include "fovea/kernels/clip.h"
#include "fovea/kernels/optim.h"

namespace fovea {
namespace {

// Norms and biases are vectors; only matrices decay.
bool decays(const Tensor& parameter) { return parameter.shape().rank() >= 2; }

float or_own(float value, float own) { return value > 0 ? value : own; }

std::span<float> part(const std::vector<Tensor>& parts, size_t i) {
  return i < parts.size() ? parts[i].span() : std::span<float>{};
}

void step_dense(const OptimizerConfig& c,
                std::span<const kernels::OptimTensor> tensors,
                const kernels::Step& step) {
  switch (c.optimizer) {
    case OptimizerKind::kAdam:
    case OptimizerKind::kAmsgrad:
      kernels::adam(tensors, step,
                    {.beta1 = c.beta1,
                     .beta2 = c.beta2,
                     .epsilon = or_own(c.epsilon, 1e-9f),
                     .amsgrad = c.optimizer == OptimizerKind::kAmsgrad});
      return;
    case OptimizerKind::kSgd:
    case OptimizerKind::kNesterov:
      kernels::sgd(tensors, step,
                   {.momentum = c.momentum,
                    .nesterov = c.optimizer == OptimizerKind::kNesterov});
      return;
    case OptimizerKind::kAdagrad:
      kernels::adagrad(tensors, step, {.epsilon = or_own(c.epsilon, 1e-10f)});
      return;
    case OptimizerKind::kRmsprop:
      kernels::rmsprop(tensors, step,
                       {.decay = or_own(c.decay, 0.99f),
                        .epsilon = or_own(c.epsilon, 1e-8f)});
      return;
    case OptimizerKind::kAdadelta:
      kernels::adadelta(tensors, step,
                        {.decay = or_own(c.decay, 0.95f),
                         .epsilon = or_own(c.epsilon, 1e-6f)});
      return;
    case OptimizerKind::kAdafactor:
      return;
  }
}

void check_config(const OptimizerConfig& c) {
  check_usage(c.beta1 >= 0 && c.beta1 < 1, "--beta1 ", c.beta1,
              ": give a number from 0 to below 1");
  check_usage(c.beta2 >= 0 && c.beta2 < 1, "--beta2 ", c.beta2,
              ": give a number from 0 to below 1");
  check_usage(c.momentum >= 0 && c.momentum < 1, "--momentum ", c.momentum,
              ": give a number from 0 to below 1");
  check_usage(c.weight_decay >= 0, "--weight-decay ", c.weight_decay,
              ": give 0 or more");
}

}  // namespace

int state_copies(const OptimizerConfig& config) {
  switch (config.optimizer) {
    case OptimizerKind::kAdam:
    case OptimizerKind::kAdadelta:
      return 2;
    case OptimizerKind::kAmsgrad:
      return 3;
    case OptimizerKind::kSgd:
      return config.momentum > 0 ? 1 : 0;
    case OptimizerKind::kNesterov:
    case OptimizerKind::kAdagrad:
    case OptimizerKind::kRmsprop:
      return 1;
    case OptimizerKind::kAdafactor:
      return 0;  // keeps rows and columns instead
  }
  return 0;
}

Optimizer::Optimizer(const OptimizerConfig& config, const Params& params)
    : config_(config), parameters_(params.parameters()) {
  check_config(config);
  make_state();
}

void Optimizer::make_state() {
  for (const Params::Parameter& p : parameters_) {
    const Tensor& value = p.value->value();
    std::vector<Shape> shapes(state_copies(config_), value.shape());
    if (config_.optimizer == OptimizerKind::kAdafactor) {
      if (value.rows() > 1) shapes.push_back({value.rows()});
      shapes.push_back({value.cols()});
    }
    std::vector<Tensor>& mine = parts_.emplace_back();
    for (const Shape& shape : shapes) {
      mine.push_back(Tensor::zeros(shape));
      state_.push_back({join(p.name, "/", mine.size() - 1), mine.back()});
    }
  }
}

double Optimizer::gradient_norm() const {
  std::vector<std::span<const float>> gradients;
  for (const Params::Parameter& p : parameters_) {
    const Tensor grad = p.value->grad();
    if (grad) gradients.push_back(grad.span());
  }
  return kernels::global_norm(gradients);
}

void Optimizer::step(int64_t number, float rate, double gradient_norm) {
  const float factor = kernels::clip_factor(gradient_norm, config_.clip_norm);
  if (config_.clip_value > 0) {
    std::vector<std::span<float>> gradients;
    for (const Params::Parameter& p : parameters_) {
      const Tensor grad = p.value->grad();
      if (grad) gradients.push_back(grad.span());
    }
    kernels::clamp_all(gradients, config_.clip_value);
  }
  apply(number, rate, factor);
  clear_gradients();
}

void Optimizer::apply(int64_t number, float rate, float grad_scale) {
  const kernels::Step step{.number = number,
                           .rate = rate,
                           .grad_scale = grad_scale,
                           .weight_decay = config_.weight_decay};
  std::vector<kernels::OptimTensor> dense;
  std::vector<kernels::AdafactorTensor> factored;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const Tensor& value = parameters_[i].value->value();
    const Tensor grad = parameters_[i].value->grad();
    if (!grad) continue;  // had no part in this step
    const std::vector<Tensor>& mine = parts_[i];
    if (config_.optimizer == OptimizerKind::kAdafactor) {
      factored.push_back({{value.data(), value.rows(), value.cols()},
                          grad.span(),
                          mine.size() > 1 ? mine[0].span() : std::span<float>{},
                          mine.back().span(),
                          decays(value)});
    } else {
      dense.push_back({value.span(), grad.span(), part(mine, 0), part(mine, 1),
                       part(mine, 2), decays(value)});
    }
  }
  step_dense(config_, dense, step);
  if (!factored.empty()) kernels::adafactor(factored, step, {});
}

void Optimizer::clear_gradients() const {
  for (const Params::Parameter& p : parameters_) p.value->clear_grad();
}

}  // namespace fovea
