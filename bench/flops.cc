#include "bench/flops.h"

namespace fovea::bench {

double transformer_flops(const ModelConfig& c, const TokenAmounts& n) {
  const double d = c.embed.width, f = c.encode.ffn;
  const double encoder = c.encode.layers * (n.source * (8 * d * d + 4 * d * f) +
                                            4 * d * n.own_source);
  const double decoder =
      c.predict.layers *
      (n.target * (12 * d * d + 4 * d * f) + n.source * 4 * d * d +
       4 * d * (n.own_target + n.cross));
  return encoder + decoder + n.target * 2 * d * c.vocabulary.target;
}

// SPEC D4: z, r, n of a GRU; additive attention counts its sums, not tanh.
double rnnsearch_flops(const ModelConfig& c, const TokenAmounts& n) {
  const double d = c.predict.width, e = c.embed.width;
  const double encoder = n.source * 2 * (6 * d * e + 6 * d * d);
  const double keys = n.source * 2 * (2 * d) * d;
  const double step = 2 * d * d + 6 * d * (e + 2 * d) + 6 * d * d;
  const double readout = 2 * (d + e + 2 * d) * d;
  return encoder + keys + n.cross * (2 * d + 2 * 2 * d) +
         n.target * (step + readout + 2 * (d / 2) * c.vocabulary.target);
}

// SPEC D5 with input feeding.
double luong_flops(const ModelConfig& c, const TokenAmounts& n) {
  const double d = c.predict.width, e = c.embed.width;
  const double encoder = n.source * 8 * d * (e + d);
  const double step = 8 * d * (e + d) + 8 * d * d + 2 * 2 * d * d;
  return encoder + n.cross * 4 * d +
         n.target * (step + 2 * d * c.vocabulary.target);
}

}  // namespace fovea::bench
