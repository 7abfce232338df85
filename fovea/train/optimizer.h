#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fovea/base/fields.h"
#include "fovea/layers/params.h"

namespace fovea {

// SPEC D27.
enum class OptimizerKind {
  kAdam,
  kAmsgrad,
  kSgd,
  kNesterov,
  kAdagrad,
  kRmsprop,
  kAdadelta,
  kAdafactor,
};
constexpr EnumName<OptimizerKind> kOptimizerKinds[] = {
    {OptimizerKind::kAdam, "adam"},
    {OptimizerKind::kAmsgrad, "amsgrad"},
    {OptimizerKind::kSgd, "sgd"},
    {OptimizerKind::kNesterov, "nesterov"},
    {OptimizerKind::kAdagrad, "adagrad"},
    {OptimizerKind::kRmsprop, "rmsprop"},
    {OptimizerKind::kAdadelta, "adadelta"},
    {OptimizerKind::kAdafactor, "adafactor"}};
constexpr auto& enum_names(OptimizerKind) { return kOptimizerKinds; }

struct OptimizerConfig {
  OptimizerKind optimizer = OptimizerKind::kAdam;
  float beta1 = 0.9f;
  float beta2 = 0.98f;
  float epsilon = 0.0f;
  float momentum = 0.9f;
  float decay = 0.0f;
  float weight_decay = 0.0f;
  float clip_norm = 1.0f;
  float clip_value = 0.0f;

  void fields(auto&& field) {
    field("optimizer", optimizer, "how gradients become steps");
    field("beta1", beta1, "adam: memory of gradients");
    field("beta2", beta2, "adam: memory of squared gradients");
    field("epsilon", epsilon, "added to a divisor; 0: the optimiser's own");
    field("momentum", momentum, "sgd and nesterov: memory of steps");
    field("rho", decay,
          "rmsprop and adadelta: memory of squares; 0: the optimiser's own");
    field("weight-decay", weight_decay,
          "pulls weights to zero; not those of norms and biases");
    field("clip-norm", clip_norm, "longest gradient; 0: any");
    field("clip-value", clip_value, "largest number in a gradient; 0: any");
  }
};

// How many numbers an optimiser keeps for each one of a parameter.
int state_copies(const OptimizerConfig& config);

// Turns the gradients of a model into a step.
class Optimizer {
 public:
  // Of the state, named as the parameter it belongs to: "decoder.x.weight/0".
  struct Named {
    std::string name;
    Tensor value;
  };

  // The parameters must stay where they are.
  Optimizer(const OptimizerConfig& config, const Params& params);

  // The length of all gradients together; NaN or infinite if one number is.
  double gradient_norm() const;
  // `number` counts from 1. Clips, changes the parameters, clears gradients.
  void step(int64_t number, float rate, double gradient_norm);
  void clear_gradients() const;

  // What a checkpoint must hold; the tensors are the optimiser's own.
  const std::vector<Named>& state() const { return state_; }

 private:
  void make_state();
  void apply(int64_t number, float rate, float grad_scale);

  OptimizerConfig config_;
  std::vector<Params::Parameter> parameters_;
  std::vector<Named> state_;
  std::vector<std::vector<Tensor>> parts_;  // of the state, by parameter
};

}  // namespace fovea
