// Attention of your own: three documents packed into one sequence, where a
// token sees only what stands before it in its own document, and the less the
// further away. The kernel that runs is the fused one, forward and backward.
#include <algorithm>
#include <cstdio>
#include <vector>

#include "fovea/autograd/attention.h"

using namespace fovea;

int main() {
  const std::vector<int> document = {0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2};
  const int n = static_cast<int>(document.size());

  // `auto`, since the backward pass calls it with dual numbers.
  const auto decay = [](auto score, const ScoreAt& at) {
    return score - 0.5f * static_cast<float>(at.query - at.key);
  };
  const auto mask = [document](const ScoreAt& at) {
    return document[at.query_row] == document[at.key_row] && at.key <= at.query;
  };
  AttentionConfig config{.heads = 2};
  config.score = custom_score(decay, mask);
  config.weight_heads = {0};

  const Var x = Var::parameter(Tensor({n, 16}));
  fill_normal(RandomKey(1), 0, 0.5f, x.value().span());
  const AttentionOutput y =
      attention(x, x, x, {kernels::attention_span(0, n, 0, n)}, config);

  std::puts("weights in percent, a row for each query:");
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const float weight = y.weights[i * n + j];
      weight > 0 ? std::printf("%4.0f", 100 * weight) : std::printf("   .");
    }
    std::puts("");
  }

  // What does the second document depend on?
  Tensor dy = Tensor::full(y.context.shape(), 0.0f);
  for (int i = 0; i < n; ++i) {
    if (document[i] == 1) std::fill_n(dy.data() + i * 16, 16, 1.0f);
  }
  y.context.backward(dy);
  std::puts("gradients of the second document reach these tokens:");
  for (int i = 0; i < n; ++i) {
    const float* row = x.grad().data() + i * 16;
    const bool any = std::any_of(row, row + 16, [](float g) { return g != 0; });
    std::printf("%4s", any ? "yes" : "no");
  }
  std::puts("");
}
