#pragma once

#include <memory>
#include <vector>

#include "fovea/autograd/var.h"
#include "fovea/base/rng.h"
#include "fovea/kernels/attention.h"
#include "fovea/kernels/custom_score.h"
#include "fovea/tensor/segments.h"

namespace fovea {

using kernels::AttentionSpan;
using kernels::custom_score;
using kernels::KeepScore;
using kernels::ScoreAt;

// Each query sequence with the key sequence of the same index, the last query
// at the last key.
std::vector<AttentionSpan> attention_spans(const Segments& queries,
                                           const Segments& keys);

// See kernels::AttentionOptions for what each one means.
struct AttentionConfig {
  int heads = 1;
  int kv_heads = 0;    // 0: as many as heads
  float scale = 0.0f;  // 0: 1 / sqrt(size of a head)
  bool causal = false;
  int window_left = -1, window_right = -1;
  std::vector<float> alibi = {};  // a slope for each head, or none
  // Scores and a mask of your own, made by custom_score(); or none.
  std::shared_ptr<const kernels::ScoreFunction> score = nullptr;
  float dropout = 0.0f;
  RandomKey key{};
  std::vector<int> weight_heads = {};  // heads whose weights are wanted
};

struct AttentionOutput {
  Var context;  // [M, heads * d_v]; zero in rows that no span holds
  // Empty unless heads are asked for. For each span, for each of these heads, a
  // block [queries, keys], one after another: the softmax, before dropout. No
  // gradient goes through it, and asking for it changes no bit of the context.
  Tensor weights;
};

// Scaled dot-product attention of q [M, heads * d_k] over k [N, kv_heads * d_k]
// and v [N, kv_heads * d_v], fused: the weights are never stored, backward
// computes them again.
AttentionOutput attention(const Var& q, const Var& k, const Var& v,
                          std::vector<AttentionSpan> spans,
                          const AttentionConfig& config);

// The same when one product has made queries, keys and values: [N, (heads + 2 *
// kv_heads) * size], in this order.
AttentionOutput attention(const Var& qkv, std::vector<AttentionSpan> spans,
                          const AttentionConfig& config);

}  // namespace fovea
