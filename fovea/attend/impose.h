#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "fovea/autograd/pairs.h"
#include "fovea/base/rng.h"
#include "fovea/layers/pass.h"

namespace fovea {

// Weights that replace a layer's own, and heads that are switched off:
// Pass::impose points to one. Layers are named in full ("encoder.0.self").
class Impose {
 public:
  // New weights from a layer's own. They may have a history: adversarial
  // weights are optimised through it.
  using Change = std::function<Var(const Var& weights, const Pairs& pairs)>;

  void weights(const std::string& layer, Change change);
  // A factor for each head's output: 0 switches it off.
  void head_mask(const std::string& layer, std::vector<float> factors);

  const Change* weights_of(const std::string& layer) const;  // or null
  const std::vector<float>* head_mask_of(const std::string& layer) const;

 private:
  std::map<std::string, Change> weights_;
  std::map<std::string, std::vector<float>> head_masks_;
};

// Every key that a query meets gets the same weight.
Var uniform_weights(const Pairs& pairs);
// Each row's weights in another order.
Var permuted_weights(const Var& weights, const Pairs& pairs, RandomKey key);
// What is given, whatever the layer computes.
Impose::Change frozen(Tensor weights);

// What `pass` imposes on this layer: the change of its weights, or null...
const Impose::Change* imposed(const Pass& pass);
// ...the weights after it...
Var impose_weights(const Var& weights, const Pairs& pairs, const Pass& pass);
// ...and the factors of its heads, applied to their outputs [M, heads * d].
Var impose_head_mask(const Var& outputs, int64_t heads, const Pass& pass);

}  // namespace fovea
