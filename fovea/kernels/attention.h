#pragma once

#include <cstddef>
#include <span>

#include "fovea/base/rng.h"
#include "fovea/kernels/score_function.h"
#include "fovea/kernels/view.h"

namespace fovea::kernels {

// One query sequence and the keys it may see. Rows of different spans need not
// be dense or in order; spans may share keys (beams over one memory, several
// targets of one source) but not queries.
struct AttentionSpan {
  int query = 0, queries = 0;  // rows of q and of the result
  int key = 0, keys = 0;       // rows of k and v
  int position = 0;            // key index at which the first query stands
};

// The usual one: the last query stands at the last key, so that new queries
// behind a key-value cache see all of it (SPEC Z2, lower-right alignment).
constexpr AttentionSpan attention_span(int query, int queries, int key,
                                       int keys) {
  return {query, queries, key, keys, keys - queries};
}

struct AttentionOptions {
  int heads = 1;
  int kv_heads = 1;  // divides heads; query head h uses h / (heads / kv_heads)
  float scale = 1.0f;
  // The query at position p sees key j if all that is asked for holds.
  bool causal = false;    // j <= p
  int window_left = -1;   // j >= p - window_left; -1: no limit
  int window_right = -1;  // j <= p + window_right; -1: no limit
  // Adds -alibi[h] * |p - j| to the scores of head h; empty: nothing.
  std::span<const float> alibi = {};
  // Hides more keys and changes scores, after the bias; or none. See
  // custom_score().
  const ScoreFunction* score = nullptr;
  // Inverted dropout after the softmax, without renormalising. Weight (i, j) of
  // head h in span b is drawn at index i * keys + j of key.with(b).with(h).
  float dropout = 0.0f;
  RandomKey key{};
};

struct AttentionInputs {
  ConstMatrixView q;  // [.., heads * d_k]
  ConstMatrixView k;  // [.., kv_heads * d_k]
  ConstMatrixView v;  // [.., kv_heads * d_v]
  std::span<const AttentionSpan> spans;
};

struct AttentionOutputs {
  MatrixView out;             // [rows of q, heads * d_v]
  MatrixView logsumexp = {};  // [rows of q, heads], for backward; or none
  // Heads whose weights are wanted, and where they go: for each span, for each
  // of these heads, a block [queries, keys]. They are the softmax itself,
  // before dropout, and zero where a key is hidden.
  std::span<const int> weight_heads = {};
  std::span<float> weights = {};
};

// How many weights `weight_heads` heads have.
size_t attention_weights_size(std::span<const AttentionSpan> spans,
                              int weight_heads);

// out = softmax(score(scale * q k^T + bias)) v for each span and head, in one
// pass over blocks of keys (SPEC Z11) without storing the weights. A query that
// sees no key gives zeros and a logsumexp of -infinity. Rows outside of all
// spans are not written.
//
// The bits of a row depend on its query, on its position and on the keys that
// it sees with their indices, on nothing else: not on the other queries, the
// keys after those it sees, the batch, the threads, or the weights asked for.
void attention_forward(const AttentionInputs& in,
                       const AttentionOptions& options,
                       const AttentionOutputs& out);

struct AttentionGradients {
  ConstMatrixView out = {},
                  logsumexp = {};  // of attention_forward, same options
  ConstMatrixView dout = {};
  // Each may be left out. A flag says to add; without it all rows of the view
  // are overwritten.
  MatrixView dq = {}, dk = {}, dv = {};
  bool add_q = false, add_k = false, add_v = false;
};

// SPEC Z4, with the weights computed again from logsumexp. The result does not
// depend on the threads.
void attention_backward(const AttentionInputs& in,
                        const AttentionOptions& options,
                        const AttentionGradients& gradients);

}  // namespace fovea::kernels
