#pragma once

#include <span>
#include <string>
#include <vector>

#include "fovea/attend/hard_choice.h"
#include "fovea/layers/pass.h"

// Learning by draws (Williams 1992; Xu et al. 2015, SPEC B4).
namespace fovea {

// What a select has drawn in one call. Pass::choices collects them.
struct Choice {
  std::string name;     // of the layer
  Var log_probability;  // [M], of what was drawn; all heads together
  Var entropy;          // [M], of what it was drawn from
  Segments of;          // the rows of each query sequence
  Tensor baseline;      // one number: the buffer of the select
};

struct ReinforceConfig {
  float weight = 0.1f;  // lambda_r
  float entropy = 0.002f;
  float decay = 0.9f;  // of the moving average; 1: the baseline stays
  void fields(auto&& field) {
    field("weight", weight, "factor of the gradient by draws");
    field("entropy", entropy, "factor of the entropy of the choices");
    field("decay", decay, "of the baseline's moving average");
  }
};

// A loss whose gradient is the estimate
//   mean over sequences of the sum over its rows of
//     weight (cost - baseline) d log p - entropy dH.
// Add it to the task's loss, a mean over sequences too. `costs` has a number
// for each query sequence or for each row, without gradient: small is good. The
// new baseline, decay * old + (1 - decay) * mean cost, goes to `updates`, once
// for each select.
Var reinforce_loss(std::span<const Choice> choices, const Tensor& costs,
                   const ReinforceConfig& config, std::vector<Update>* updates);

// Of the numbers chosen among `weights`, which need not sum to 1: the logarithm
// of their share in the row, summed over heads: [M].
Var log_probabilities(const Var& weights, const Chosen& chosen,
                      const Pairs& pairs);
// The entropy of the shares, summed over heads: [M].
Var entropies(const Var& weights, const Pairs& pairs);

}  // namespace fovea
