#pragma once

#include <cmath>
#include <vector>

#include "fovea/base/rng.h"
#include "fovea/kernels/attention.h"
#include "fovea/tensor/tensor.h"

namespace fovea::bench {

constexpr int kHeadSize = 64;  // of a head

// Self-attention over sequences of these lengths.
struct AttentionProblem {
  int rows = 0, heads;
  std::vector<kernels::AttentionSpan> spans;
  kernels::AttentionOptions options;
  Tensor q, k, v, out, log_sum, dout, dq, dk, dv;

  AttentionProblem(const std::vector<int>& lengths, int heads_, bool causal)
      : heads(heads_) {
    for (int n : lengths) {
      spans.push_back(kernels::attention_span(rows, n, rows, n));
      rows += n;
    }
    options.heads = options.kv_heads = heads;
    options.scale = 1.0f / std::sqrt(float{kHeadSize});
    options.causal = causal;
    uint64_t seed = 0;
    for (auto* x : {&q, &k, &v, &dout, &out, &dq, &dk, &dv}) {
      *x = Tensor({rows, heads * kHeadSize});
      fill_normal(RandomKey(++seed), 0, 1, x->span());
    }
    log_sum = Tensor({rows, heads});
  }

  static kernels::MatrixView view(const Tensor& x) {
    return {x.data(), x.rows(), x.cols()};
  }
  kernels::AttentionInputs inputs() {
    return {view(q), view(k), view(v), spans};
  }
  void forward() {
    kernels::attention_forward(inputs(), options, {view(out), view(log_sum)});
  }
  void backward() {
    kernels::attention_backward(inputs(), options,
                                {.out = view(out),
                                 .logsumexp = view(log_sum),
                                 .dout = view(dout),
                                 .dq = view(dq),
                                 .dk = view(dk),
                                 .dv = view(dv)});
  }
  // Four products of T x T x size a head; causal half.
  double forward_flops() const {
    double sum = 0;
    for (const kernels::AttentionSpan& s : spans)
      sum += double(s.queries) * s.keys;
    return 4.0 * sum * heads * kHeadSize * (options.causal ? 0.5 : 1.0);
  }
};

}  // namespace fovea::bench
