#pragma once

#include <functional>
#include <vector>

#include "fovea/kernels/attention.h"
#include "fovea/kernels/custom_score.h"
#include "support/gradients.h"

namespace fovea::testing {

// Attention in double precision, one weight at a time (SPEC Z2, Z3, Z4).
struct TwinAttention {
  kernels::AttentionOptions options;
  int k = 1, v = 1;  // sizes of one head
  std::vector<kernels::AttentionSpan> spans;
  // What options.score does, or nothing.
  std::function<double(double, const kernels::ScoreAt&)> change = {};
  std::function<bool(const kernels::ScoreAt&)> mask = {};

  // inputs are q, k, v, dense rows. Returns [rows of q, heads * v]; rows
  // outside of all spans are 0.
  Doubles context(const std::vector<Doubles>& inputs) const;
  // For each span, for each of these heads, a block [queries, keys]; before
  // dropout.
  Doubles weights(const std::vector<Doubles>& inputs,
                  const std::vector<int>& heads) const;
  // dq, dk, dv.
  std::vector<Doubles> gradient(const std::vector<Doubles>& inputs,
                                const Doubles& dout) const;

 private:
  kernels::ScoreAt at(int b, int head, int i, int j) const;
  bool sees(int b, int head, int i, int j) const;
  // Before and after the change.
  double score(const std::vector<Doubles>& inputs,
               const kernels::ScoreAt& at) const;
  double changed(double score, const kernels::ScoreAt& at) const;
  double slope(double score, const kernels::ScoreAt& at) const;
  // What dropout multiplies a weight with: 0 or 1 / (1 - rate).
  double kept(int b, int head, int i, int j) const;
  Doubles softmax_row(const std::vector<Doubles>& inputs, int b, int head,
                      int i) const;
  int64_t at_q(int b, int i, int head) const;
  int64_t at_k(int b, int j, int head) const;
  int64_t at_v(int b, int j, int head) const;
};

}  // namespace fovea::testing
