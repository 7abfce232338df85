#include "fovea/autograd/topk_attention.h"

#include <algorithm>
#include <memory>

#include "fovea/autograd/attention_problem.h"
#include "fovea/base/check.h"
#include "fovea/kernels/topk_attention.h"

namespace fovea {
namespace {

// What backward needs of a forward pass.
struct Chosen {
  int k;
  std::vector<int> keys;
  Tensor weights;

  Chosen(int64_t rows, const AttentionProblem& problem, int top) : k(top) {
    int longest = 1;
    for (const AttentionSpan& span : problem.spans) {
      longest = std::max(longest, span.keys);
    }
    k = std::min(k, longest);
    const int64_t size = rows * problem.options.heads * k;
    keys.assign(size, -1);
    weights = Tensor({size});
  }
  kernels::TopkChoice choice() { return {k, keys, weights.span()}; }
};

}  // namespace

Var topk_attention(const Var& q, const Var& k, const Var& v,
                   std::vector<AttentionSpan> spans,
                   const AttentionConfig& config, int top) {
  check(top >= 1, "topk_attention: the ", top, " largest");
  check(config.dropout == 0 && !config.score && config.weight_heads.empty(),
        "topk_attention: no dropout, own score or weights");
  const auto problem =
      std::make_shared<AttentionProblem>(std::move(spans), config);
  const Tensor a = q.value(), b = k.value(), c = v.value();
  const bool dense =
      problem->fit({matrix_view(a), matrix_view(b), matrix_view(c)});
  const auto inputs = [=] {
    return kernels::AttentionInputs{matrix_view(a), matrix_view(b),
                                    matrix_view(c), problem->spans};
  };
  const auto& options = problem->options;
  Tensor context({a.dim(0), c.cols() / options.kv_heads * options.heads});
  if (!dense) context.fill(0.0f);
  const bool keep = recording({q, k, v});
  const auto chosen =
      std::make_shared<Chosen>(keep ? a.dim(0) : 0, *problem, top);
  kernels::topk_attention_forward(inputs(), options, matrix_view(context),
                                  chosen->choice());
  return record(context, {q, k, v}, [=](const Tensor& dy, Grads dx) {
    // One tensor may be several of the three: the kernel does one by one.
    kernels::TopkGradients into{.dout = matrix_view(dy)};
    if (dx[0]) {
      const auto [dq, accumulate] = dx[0].target();
      into.dq = matrix_view(dq);
      into.add_q = accumulate;
    }
    if (dx[1]) into.dk = matrix_view(dx[1].sum());
    if (dx[2]) into.dv = matrix_view(dx[2].sum());
    kernels::topk_attention_backward(inputs(), problem->options,
                                     chosen->choice(), into);
  });
}

}  // namespace fovea
