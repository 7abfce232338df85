#pragma once

#include <cstdint>
#include <vector>

#include "fovea/base/rng.h"
#include "fovea/explain/layer_weights.h"

// What becomes of the output when other weights stand in the place of the
// model's own, all else being fixed (Jain & Wallace 2019). All steps of a
// sequence are changed together.
namespace fovea {

// Which weights are changed, and draws that depend on the text and not on its
// company.
struct WeightChange {
  int head = -1;                      // -1: all
  RandomKey key{};                    // of all texts
  std::vector<int64_t> numbers = {};  // of each text, in the data
};

// Each row of weights in another order, `times` times. Of each case, the median
// of the total variation between the outputs before and after.
std::vector<double> permute_weights(const TestedModel& model,
                                    const TestTexts& texts, const LayerRun& own,
                                    const WeightChange& change, int times);

struct AdversaryConfig {
  int restarts = 5;
  int steps = 500;
  float rate = 0.01f;       // of AMSGrad
  float slack = 0.01f;      // summed change of the output that costs nothing
  float penalty = 500.0f;   // of more
  float threshold = 0.05f;  // total variation of weights that count
};

// The weights furthest from the model's own that give about the same output.
struct Adversary {
  double js = 0;        // divergence from its own weights; 0: none was found
  double distance = 0;  // total variation of the output
  int found = 0;        // restarts within the threshold
  std::vector<float> weights = {};  // as a map shows them; empty: none
};
std::vector<Adversary> find_adversaries(const TestedModel& model,
                                        const TestTexts& texts,
                                        const WeightChange& change,
                                        const AdversaryConfig& config);

}  // namespace fovea
