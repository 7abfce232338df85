#include "fovea/autograd/attention.h"

#include <algorithm>
#include <memory>

#include "fovea/autograd/attention_problem.h"
#include "fovea/base/check.h"
#include "fovea/kernels/elementwise.h"

namespace fovea {
namespace {

using kernels::MatrixView;
using Problem = AttentionProblem;
using Views = AttentionViews;

struct Computed {
  Tensor context, log_sum, weights;
};

Computed compute(Problem& problem, const Views& x, bool keep) {
  const bool dense = problem.fit(x);
  const auto& options = problem.options;
  Computed out;
  out.context = Tensor({x.q.rows, x.v.cols / options.kv_heads * options.heads});
  if (!dense) out.context.fill(0.0f);
  if (keep) out.log_sum = Tensor({x.q.rows, options.heads});
  const std::vector<int>& heads = problem.config.weight_heads;
  if (!heads.empty()) {
    out.weights = Tensor({static_cast<int64_t>(kernels::attention_weights_size(
        problem.spans, static_cast<int>(heads.size())))});
  }
  kernels::attention_forward(
      {x.q, x.k, x.v, problem.spans}, options,
      {.out = matrix_view(out.context),
       .logsumexp = keep ? matrix_view(out.log_sum) : MatrixView(),
       .weight_heads = heads,
       .weights = out.weights.span()});
  return out;
}

void back(const Problem& problem, const Views& x, const Computed& out,
          const Tensor& dy, kernels::AttentionGradients into) {
  into.out = matrix_view(out.context);
  into.logsumexp = matrix_view(out.log_sum);
  into.dout = matrix_view(dy);
  kernels::attention_backward({x.q, x.k, x.v, problem.spans}, problem.options,
                              into);
}

// The gradients of three inputs. An input that is given twice gets memory of
// its own the second time: the kernel writes the three side by side.
class ThreeGradients {
 public:
  explicit ThreeGradients(Grads dx) {
    for (int i = 0; i < 3; ++i) {
      if (!dx[i]) continue;
      auto [tensor, accumulate] = dx[i].target();
      sums_[i] = written_[i] = tensor;
      add_[i] = accumulate;
      for (int j = 0; j < i; ++j) {
        if (!sums_[j] || sums_[j].data() != tensor.data()) continue;
        written_[i] = Tensor(tensor.shape());
        add_[i] = false;
      }
    }
  }
  kernels::AttentionGradients targets() const {
    const auto of = [&](int i) {
      return written_[i] ? matrix_view(written_[i]) : MatrixView();
    };
    return {.dq = of(0),
            .dk = of(1),
            .dv = of(2),
            .add_q = add_[0],
            .add_k = add_[1],
            .add_v = add_[2]};
  }
  void finish() const {
    for (int i = 0; i < 3; ++i) {
      if (written_[i] && written_[i].data() != sums_[i].data()) {
        kernels::add(written_[i].span(), sums_[i].span());
      }
    }
  }

 private:
  Tensor sums_[3], written_[3];
  bool add_[3] = {};
};

Views slices(const Problem& problem, const Tensor& qkv) {
  const int64_t heads = problem.options.heads;
  const int64_t kv_heads = problem.options.kv_heads;
  const int64_t size = qkv.cols() / std::max<int64_t>(1, heads + 2 * kv_heads);
  const int64_t k = heads * size, v = k + kv_heads * size;
  const MatrixView all = matrix_view(qkv);
  return {all.col_range(0, k), all.col_range(k, v),
          all.col_range(v, v + kv_heads * size)};
}

}  // namespace

std::vector<AttentionSpan> attention_spans(const Segments& queries,
                                           const Segments& keys) {
  check(queries.count() == keys.count(), "attention: ", queries.count(),
        " query sequences but ", keys.count(), " key sequences");
  std::vector<AttentionSpan> spans(queries.count());
  for (int b = 0; b < queries.count(); ++b) {
    spans[b] = kernels::attention_span(queries.begin(b), queries.length(b),
                                       keys.begin(b), keys.length(b));
  }
  return spans;
}

AttentionOutput attention(const Var& q, const Var& k, const Var& v,
                          std::vector<AttentionSpan> spans,
                          const AttentionConfig& config) {
  const auto problem = std::make_shared<Problem>(std::move(spans), config);
  const Tensor a = q.value(), b = k.value(), c = v.value();
  const auto views = [=] {
    return Views{matrix_view(a), matrix_view(b), matrix_view(c)};
  };
  const Computed out = compute(*problem, views(), recording({q, k, v}));
  const Var context =
      record(out.context, {q, k, v}, [=](const Tensor& dy, Grads dx) {
        const ThreeGradients gradients(dx);
        back(*problem, views(), out, dy, gradients.targets());
        gradients.finish();
      });
  return {context, out.weights};
}

AttentionOutput attention(const Var& qkv, std::vector<AttentionSpan> spans,
                          const AttentionConfig& config) {
  const auto problem = std::make_shared<Problem>(std::move(spans), config);
  const Tensor x = qkv.value();
  problem->check_options();
  const int parts = problem->options.heads + 2 * problem->options.kv_heads;
  check(x.cols() % parts == 0, "attention: ", x.cols(), " columns for ",
        problem->options.heads, " heads and 2 x ", problem->options.kv_heads,
        " key-value heads of one size");
  const Computed out = compute(*problem, slices(*problem, x), recording({qkv}));
  const Var context =
      record(out.context, {qkv}, [=](const Tensor& dy, Grads dx) {
        const auto [tensor, add] = dx[0].target();
        const Views d = slices(*problem, tensor);
        back(*problem, slices(*problem, x), out, dy,
             {.dq = d.q,
              .dk = d.k,
              .dv = d.v,
              .add_q = add,
              .add_k = add,
              .add_v = add});
      });
  return {context, out.weights};
}

}  // namespace fovea
