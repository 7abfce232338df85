#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "fovea/explain/explanation.h"

namespace fovea::testing {

// Two layers of an encoder and one cross-attention, with chosen numbers.
inline Explanation example() {
  Explanation e;
  e.model = "made up";
  e.task = "translate";
  e.source = {"unbelievable <b>",
              {"▁un", "believable", "▁<b>", "</s>"},
              {0, 0, 1, -1},
              {0, 0, 1, 1}};
  e.target = {"x \"y\"", {"▁x", "▁\"y\"", "</s>"}, {0, 1, -1}, {0, 1, 1}};
  e.read = {"<s>", "▁x", "▁\"y\""};
  e.log_probabilities = {std::log(0.5f), std::log(0.25f), 0};
  e.alternatives.resize(3);
  ExplainedLayer self{"encoder.layer.0.self", "self", "scaled_dot"};
  self.queries = Tokens::kSource;
  self.weights = {Tensor::from({4, 4}, std::vector<float>(16, 0.25f)),
                  Tensor::from({4, 4}, std::vector<float>{1, 0, 0, 0,  //
                                                          0, 1, 0, 0,  //
                                                          0, 0, 1, 0,  //
                                                          0, 0, 0, 1})};
  self.visible.assign(16, true);
  self.statistics.resize(2);
  ExplainedVectors v;
  v.scale = 0.5f;
  for (int h = 0; h < 2; ++h) {
    v.query.push_back(
        Tensor::from({4, 2}, std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8}));
    v.key.push_back(v.query.back());
    v.value.push_back(v.query.back());
  }
  self.vectors = v;
  ExplainedLayer cross{"decoder.layer.0.cross", "cross", "scaled_dot"};
  cross.queries = Tokens::kTarget;
  cross.weights = {Tensor::from(
      {3, 4},
      std::vector<float>{.1f, .2f, .3f, .4f, .5f, .1f, .2f, .2f, 0, 0, 0, 1})};
  cross.visible.assign(12, true);
  cross.statistics.resize(1);
  e.layers = {self, cross};
  e.alignment_layer = cross.name;
  e.alignment = cross.weights[0];
  e.rollouts = {{"encoder", Tokens::kSource, self.weights[0], {}}};
  e.gates = {
      {"decoder.cross.gate", {.9f, .2f, .6f, .1f}, {.5f, .25f, .25f, 0}}};
  return e;
}

}  // namespace fovea::testing
