#pragma once

#include <span>

#include "fovea/kernels/attention.h"

namespace fovea::kernels {

// The keys that each query row chose in each head, and their weights:
// [rows of q, heads, k]. Behind the last key of a row there is -1, with weight
// 0.
struct TopkChoice {
  int k = 1;
  std::span<int> keys;  // rows of k and v, rising
  std::span<float> weights;

  int64_t at(int64_t row, int64_t heads, int64_t head) const {
    return (row * heads + head) * k;
  }
};

// As attention_forward(), but each query's softmax is over its k largest
// scores only, of equal ones the first. The products with all keys are those of
// attention; k values are read. Neither dropout nor a function of one's own.
// Rows outside of all spans are not written. `choice` is for backward; its
// spans may be empty.
void topk_attention_forward(const AttentionInputs& in,
                            const AttentionOptions& options, MatrixView out,
                            const TopkChoice& choice);

struct TopkGradients {
  ConstMatrixView dout;
  MatrixView dq = {}, dk = {}, dv = {};  // each may be left out
  bool add_q = false;                    // dk and dv are always added to
};

// Touches the chosen keys only. The result does not depend on the threads.
// First dq is written, then dk and then dv is added to: they may share memory.
void topk_attention_backward(const AttentionInputs& in,
                             const AttentionOptions& options,
                             const TopkChoice& choice,
                             const TopkGradients& gradients);

}  // namespace fovea::kernels
