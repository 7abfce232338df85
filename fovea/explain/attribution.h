#pragma once

#include <vector>

#include "fovea/explain/layer_weights.h"

// What each token did to an output, by other means than attention weights.
namespace fovea {

// A number for each token of a case's text, the end mark included.
using TokenScores = std::vector<float>;

// The outcome whose probability is looked at, of each case: the likeliest
// label, or the word that a sequence model is forced to say.
std::vector<int> explained_outcomes(const TestTexts& texts,
                                    const Tensor& outputs);

// The gradient of the outcome's probability times the embedding, summed over
// its width. With `frozen` no gradient passes the weights of that run: they are
// held fixed (Jain & Wallace 2019).
std::vector<TokenScores> gradient_times_input(const TestedModel& model,
                                              const TestTexts& texts,
                                              const std::vector<int>& outcomes,
                                              const LayerRun* frozen = nullptr);

// The same of the states that attention reads, all else that the encoder gave
// and the weights of that run being held fixed. What attention takes of a state
// has its weight as a factor, and so has the gradient.
std::vector<TokenScores> gradient_times_state(const TestedModel& model,
                                              const TestTexts& texts,
                                              const std::vector<int>& outcomes,
                                              const LayerRun& frozen);

// Sundararajan et al. 2017: gradients along the straight way from
// TestedModel::embed_nothing to the embedded text, taken densely where they
// change most.
struct IntegratedGradients {
  std::vector<TokenScores> scores;
  // Of each case: by how much the scores miss the change of the probability on
  // the way, as a share of it (of 0.01 if it is smaller).
  std::vector<double> errors;
};
// The way has `parts` at first; whichever misses the change of its probability
// most is halved until the case's error is at most 0.5 %, up to 32 times as
// often as there are parts.
IntegratedGradients integrated_gradients(const TestedModel& model,
                                         const TestTexts& texts,
                                         const std::vector<int>& outcomes,
                                         int parts);

// What happens when a token is left out, the text being shorter by it. The end
// mark stays.
struct Erasure {
  std::vector<TokenScores> drops;      // of the outcome's probability
  std::vector<TokenScores> distances;  // total variation of the outputs
};
Erasure erase_tokens(const TestedModel& model, const TestTexts& texts,
                     const Tensor& outputs, const std::vector<int>& outcomes);

}  // namespace fovea
