#include <fovea/autograd/attention.h>
#include <fovea/autograd/reduce.h>

#include <cstdio>

int main() {
  using namespace fovea;
  // Two sequences, of 2 and 3 tokens, 4 wide, one after the other.
  const int lengths[] = {2, 3};
  const Segments of = Segments::from_lengths(lengths);
  const Var x = Var::parameter(Tensor({of.total(), 4}));
  fill_normal(RandomKey(1), 0, 1, x.value().span());

  // Each token attends to itself and what comes before it in its sequence.
  const AttentionOutput y =
      attention(x, x, x, attention_spans(of, of),
                {.heads = 2, .causal = true, .weight_heads = {0}});
  sum(y.context).backward();  // x.grad() now holds the gradient

  const float* w = y.weights.data() + 2 * 2;  // head 0, second sequence
  for (int i = 0; i < 3; ++i) {
    std::printf("%.2f %.2f %.2f\n", w[3 * i], w[3 * i + 1], w[3 * i + 2]);
  }
}
