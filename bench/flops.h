#pragma once

#include "fovea/models/config.h"

namespace fovea::bench {

// Real tokens, end marks included, and pairs of tokens that meet in attention.
struct TokenAmounts {
  double source = 0, target = 0;
  double own_source = 0, own_target = 0, cross = 0;

  // A pair of sentences; `hypotheses` of that target are computed.
  void add(double s, double t, double hypotheses = 1) {
    source += s;
    target += hypotheses * t;
    own_source += s * s;
    own_target += hypotheses * t * (t + 1) / 2;
    cross += hypotheses * s * t;
  }
};

// Of matrix products and attention in a forward pass: those that no
// implementation can leave out.
double transformer_flops(const ModelConfig& c, const TokenAmounts& n);
double rnnsearch_flops(const ModelConfig& c, const TokenAmounts& n);
double luong_flops(const ModelConfig& c, const TokenAmounts& n);

}  // namespace fovea::bench
