#pragma once

#include <functional>
#include <vector>

#include "fovea/attend/impose.h"
#include "fovea/explain/tested_model.h"

namespace fovea {

// The weights of one call of the tested layer. A decoder that goes step by step
// calls it once a step, others call it once.
struct LayerCall {
  Pairs pairs;
  Tensor weights;
  std::vector<int> cases;  // which case each row of the pairs belongs to
};

// One pass over texts.
struct LayerRun {
  Tensor outputs;  // [cases, outcomes]
  std::vector<LayerCall> calls;
};

// With the model's own weights. A layer that is not there is a usage error.
LayerRun run_watched(const TestedModel& model, const Encoded& source,
                     const TestTexts& texts);

// With others in their place: `change` gives those of each call.
using CallChange = std::function<Var(const LayerCall& call, size_t number)>;
Var run_changed(const TestedModel& model, const Encoded& source,
                const TestTexts& texts, const LayerRun& own,
                const CallChange& change);

// What a map shows of weights in the order of pairs: one head, or with -1 the
// mean over all; in the order of the pairs of one head.
Var shown_weights(const Var& weights, const Pairs& pairs, int head);
// Its rows.
Segments shown_rows(const Pairs& pairs);

// The shown weights of one case. They may be of some tokens only.
struct CaseWeights {
  int first = 0;  // token that the first one is of
  std::vector<float> weights = {};
};
std::vector<CaseWeights> weights_of_cases(const LayerRun& run, int head);

}  // namespace fovea
