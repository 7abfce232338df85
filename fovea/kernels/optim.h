#pragma once

#include <cstdint>
#include <span>

namespace fovea::kernels {

// One parameter with its gradient and what the optimiser keeps for it. The
// state is as long as the parameter and zero before the first step; an
// optimiser names the parts that it uses, the others stay empty.
struct OptimTensor {
  std::span<float> param;
  std::span<const float> grad;
  std::span<float> state0 = {};
  std::span<float> state1 = {};
  std::span<float> state2 = {};
  bool decays = true;  // false: weight decay leaves it alone (norms, biases)
};

// What differs from step to step.
struct Step {
  int64_t number = 1;         // 1 the first time
  float rate = 1e-3f;         // learning rate
  float grad_scale = 1.0f;    // multiplies every gradient: see clip_factor()
  float weight_decay = 0.0f;  // added to the gradient as decay * param
};

// Each call steps all tensors of a model in one pass over memory; the result
// does not depend on the threads.

// Kingma & Ba 2015. state0, state1: running means of g and g^2; state2, with
// AMSGrad (Reddi et al. 2018): the largest running mean of g^2 so far.
struct AdamOptions {
  float beta1 = 0.9f;
  float beta2 = 0.98f;
  float epsilon = 1e-9f;
  bool decoupled = true;  // weight decay subtracts rate * decay * param instead
                          // (AdamW, Loshchilov & Hutter 2019)
  bool amsgrad = false;
};
void adam(std::span<const OptimTensor> tensors, const Step& step,
          const AdamOptions& options);

// state0, unless momentum is 0: v = momentum * v + g; param -= rate * v, or
// with Nesterov rate * (g + momentum * v).
struct SgdOptions {
  float momentum = 0.0f;
  bool nesterov = false;
};
void sgd(std::span<const OptimTensor> tensors, const Step& step,
         const SgdOptions& options);

// Duchi et al. 2011. state0: sum of g^2.
struct AdagradOptions {
  float epsilon = 1e-10f;
};
void adagrad(std::span<const OptimTensor> tensors, const Step& step,
             const AdagradOptions& options);

// Tieleman & Hinton 2012. state0: running mean of g^2.
struct RmspropOptions {
  float decay = 0.99f;
  float epsilon = 1e-8f;
};
void rmsprop(std::span<const OptimTensor> tensors, const Step& step,
             const RmspropOptions& options);

// Zeiler 2012 (rate 1 in the paper). state0, state1: running means of g^2 and
// of the squared steps.
struct AdadeltaOptions {
  float decay = 0.95f;
  float epsilon = 1e-6f;
};
void adadelta(std::span<const OptimTensor> tensors, const Step& step,
              const AdadeltaOptions& options);

}  // namespace fovea::kernels
