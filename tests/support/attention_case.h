#pragma once

#include <string>
#include <vector>

#include "support/twin_attention.h"

namespace fovea::testing {

// A problem for fused attention with random numbers, and its results.
struct AttentionCase {
  TwinAttention twin;
  int query_rows = 0, key_rows = 0;
  std::vector<float> q, k, v, dout;

  // Fills the inputs; call when sizes, options and spans are set.
  void fill(uint64_t seed, float scale = 1.0f);

  kernels::AttentionInputs inputs() const;
  std::vector<Doubles> doubles() const { return {to(q), to(k), to(v)}; }
  static Doubles to(const std::vector<float>& x) {
    return {x.begin(), x.end()};
  }
  int out_width() const { return twin.options.heads * twin.v; }
};

struct AttentionResult {
  std::vector<float> out, log_sum, weights;
};
AttentionResult run_forward(const AttentionCase& c,
                            const std::vector<int>& weight_heads = {});

struct AttentionGrads {
  std::vector<float> dq, dk, dv;
};
AttentionGrads run_backward(const AttentionCase& c, const AttentionResult& r);

// Ragged self-attention: sequence b has lengths[b] queries and keys.
AttentionCase self_case(const std::vector<int>& lengths, int heads, int size);
// Ragged cross-attention.
AttentionCase cross_case(const std::vector<int>& queries,
                         const std::vector<int>& keys, int heads, int size);

}  // namespace fovea::testing
