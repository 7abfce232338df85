#pragma once

#include <vector>

#include "fovea/base/fields.h"
#include "fovea/decode/hypothesis.h"
#include "fovea/models/seq2seq.h"

namespace fovea {

struct BeamConfig {
  int beam_size = 5;
  float length_penalty = 0.6f;
  int max_length = 0;

  void fields(auto&& field) {
    field("beam-size", beam_size, "hypotheses kept at each step");
    field("length-penalty", length_penalty,
          "scores are divided by ((5 + length) / 6) to this power");
    field("max-length", max_length,
          "words of the longest translation; 0: 50 more than the source");
  }
};

// log P / ((5 + L) / 6)^alpha, where L counts the end mark (Wu et al. 2016).
float length_normalised(double log_probability, int length, float alpha);

// The best hypotheses of each source sentence, best first, at most beam_size;
// at least one. Sources end with the end mark. A beam of 1 is greedy search.
// A sentence gets the same result alone or beside others if the model is
// prepared.
std::vector<std::vector<Hypothesis>> beam_search(const Seq2Seq& model,
                                                 const Ids& source,
                                                 const BeamConfig& config);

}  // namespace fovea
