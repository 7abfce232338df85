#include "support/attention_case.h"

#include <cmath>

#include "support/random.h"

namespace fovea::testing {

using kernels::attention_span;

void AttentionCase::fill(uint64_t seed, float scale) {
  const auto& options = twin.options;
  const auto random = [&](int rows, int cols, uint64_t part) {
    std::vector<float> x =
        random_floats(int64_t{rows} * cols, 10 * seed + part);
    for (float& y : x) y *= scale;
    return x;
  };
  q = random(query_rows, options.heads * twin.k, 0);
  k = random(key_rows, options.kv_heads * twin.k, 1);
  v = random(key_rows, options.kv_heads * twin.v, 2);
  dout = random_floats(int64_t{query_rows} * out_width(), 10 * seed + 3);
}

kernels::AttentionInputs AttentionCase::inputs() const {
  const auto& options = twin.options;
  return {{q.data(), query_rows, options.heads * twin.k},
          {k.data(), key_rows, options.kv_heads * twin.k},
          {v.data(), key_rows, options.kv_heads * twin.v},
          twin.spans};
}

AttentionResult run_forward(const AttentionCase& c,
                            const std::vector<int>& weight_heads) {
  const int heads = c.twin.options.heads;
  AttentionResult r;
  r.out.assign(size_t(c.query_rows) * c.out_width(), 0.0f);
  r.log_sum.assign(size_t(c.query_rows) * heads, 0.0f);
  r.weights.assign(
      attention_weights_size(c.twin.spans, int(weight_heads.size())), NAN);
  attention_forward(c.inputs(), c.twin.options,
                    {{r.out.data(), c.query_rows, c.out_width()},
                     {r.log_sum.data(), c.query_rows, heads},
                     weight_heads,
                     r.weights});
  return r;
}

AttentionGrads run_backward(const AttentionCase& c, const AttentionResult& r) {
  const auto& options = c.twin.options;
  AttentionGrads g;
  g.dq.assign(c.q.size(), NAN);
  g.dk.assign(c.k.size(), NAN);
  g.dv.assign(c.v.size(), NAN);
  attention_backward(
      c.inputs(), options,
      {.out = {r.out.data(), c.query_rows, c.out_width()},
       .logsumexp = {r.log_sum.data(), c.query_rows, options.heads},
       .dout = {c.dout.data(), c.query_rows, c.out_width()},
       .dq = {g.dq.data(), c.query_rows, options.heads * c.twin.k},
       .dk = {g.dk.data(), c.key_rows, options.kv_heads * c.twin.k},
       .dv = {g.dv.data(), c.key_rows, options.kv_heads * c.twin.v}});
  return g;
}

AttentionCase cross_case(const std::vector<int>& queries,
                         const std::vector<int>& keys, int heads, int size) {
  AttentionCase c;
  c.twin.options.heads = c.twin.options.kv_heads = heads;
  c.twin.options.scale = 1.0f / std::sqrt(static_cast<float>(size));
  c.twin.k = c.twin.v = size;
  for (size_t b = 0; b < queries.size(); ++b) {
    c.twin.spans.push_back(
        attention_span(c.query_rows, queries[b], c.key_rows, keys[b]));
    c.query_rows += queries[b];
    c.key_rows += keys[b];
  }
  return c;
}

AttentionCase self_case(const std::vector<int>& lengths, int heads, int size) {
  return cross_case(lengths, lengths, heads, size);
}

}  // namespace fovea::testing
