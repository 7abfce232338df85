#include "fovea/autograd/attention.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "fovea/base/check.h"
#include "fovea/kernels/elementwise.h"

namespace fovea {
namespace {

using kernels::MatrixView;

MatrixView view(const Tensor& x) { return {x.data(), x.rows(), x.cols()}; }

// What forward and backward share; owns what the kernel's options point to.
struct Problem {
  std::vector<AttentionSpan> spans;
  AttentionConfig config;
  kernels::AttentionOptions options;

  Problem(std::vector<AttentionSpan> spans_, const AttentionConfig& config_)
      : spans(std::move(spans_)), config(config_) {
    options.heads = config.heads;
    options.kv_heads = config.kv_heads ? config.kv_heads : config.heads;
    options.scale = config.scale;
    options.causal = config.causal;
    options.window_left = config.window_left;
    options.window_right = config.window_right;
    options.alibi = config.alibi;
    options.score = config.score.get();
    options.dropout = config.dropout;
    options.key = config.key;
  }
  Problem(const Problem&) = delete;
  Problem& operator=(const Problem&) = delete;
};

using SharedProblem = std::shared_ptr<const Problem>;

// Queries, keys and values, or their gradients, wherever they lie.
struct Views {
  MatrixView q, k, v;
};

void check_options(const Problem& problem) {
  const auto& options = problem.options;
  const int heads = options.heads, kv_heads = options.kv_heads;
  check(heads > 0, "attention: ", heads, " heads");
  check(kv_heads > 0 && heads % kv_heads == 0, "attention: ", heads,
        " heads cannot share ", kv_heads, " key-value heads");
  check(options.alibi.empty() || std::ssize(options.alibi) == heads,
        "attention: ", options.alibi.size(), " slopes for ", heads, " heads");
  check(options.dropout >= 0 && options.dropout < 1, "attention: dropout is ",
        options.dropout, ", not in [0, 1)");
  check(options.window_left >= -1 && options.window_right >= -1,
        "attention: the window is ", options.window_left, " left and ",
        options.window_right, " right; -1 means no limit");
  for (int head : problem.config.weight_heads) {
    check(head >= 0 && head < heads, "attention: weights of head ", head,
          " of ", heads);
  }
}

void check_sizes(const Problem& problem, const Views& x) {
  const int heads = problem.options.heads;
  const int kv_heads = problem.options.kv_heads;
  check(x.q.cols > 0 && x.q.cols % heads == 0, "attention: ", x.q.cols,
        " columns of queries for ", heads, " heads");
  check(x.k.cols == x.q.cols / heads * kv_heads, "attention: ", kv_heads,
        " heads of keys of size ", x.q.cols / heads, " but ", x.k.cols,
        " columns");
  check(x.v.cols > 0 && x.v.cols % kv_heads == 0, "attention: ", x.v.cols,
        " columns of values for ", kv_heads, " heads");
  check(x.k.rows == x.v.rows, "attention: ", x.k.rows, " keys but ", x.v.rows,
        " values");
}

// Returns how many queries the spans hold.
int64_t check_spans(std::vector<AttentionSpan> spans, const Views& x) {
  for (const AttentionSpan& s : spans) {
    check(s.query >= 0 && s.queries >= 0 && s.query <= x.q.rows - s.queries,
          "attention: a span of ", s.queries, " queries from row ", s.query,
          " in ", x.q.rows, " rows");
    check(s.key >= 0 && s.keys >= 0 && s.key <= x.k.rows - s.keys,
          "attention: a span of ", s.keys, " keys from row ", s.key, " in ",
          x.k.rows, " rows");
  }
  const auto before = [](const AttentionSpan& a, const AttentionSpan& b) {
    return a.query < b.query;
  };
  std::erase_if(spans, [](const AttentionSpan& s) { return s.queries == 0; });
  if (!std::is_sorted(spans.begin(), spans.end(), before)) {
    std::sort(spans.begin(), spans.end(), before);
  }
  int64_t total = 0, end = 0;
  for (const AttentionSpan& s : spans) {
    check(s.query >= end, "attention: two spans hold query row ", s.query);
    end = s.query + s.queries;
    total += s.queries;
  }
  return total;
}

struct Computed {
  Tensor context, log_sum, weights;
};

Computed compute(Problem& problem, const Views& x, bool keep) {
  check_options(problem);
  check_sizes(problem, x);
  auto& options = problem.options;
  const int64_t size = x.q.cols / options.heads;
  if (options.scale == 0) {
    options.scale = 1.0f / std::sqrt(static_cast<float>(size));
  }
  const bool dense = check_spans(problem.spans, x) == x.q.rows;
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
      {.out = view(out.context),
       .logsumexp = keep ? view(out.log_sum) : MatrixView(),
       .weight_heads = heads,
       .weights = out.weights.span()});
  return out;
}

void back(const Problem& problem, const Views& x, const Computed& out,
          const Tensor& dy, kernels::AttentionGradients into) {
  into.out = view(out.context);
  into.logsumexp = view(out.log_sum);
  into.dout = view(dy);
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
      return written_[i] ? view(written_[i]) : MatrixView();
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
  const MatrixView all = view(qkv);
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
  const auto views = [=] { return Views{view(a), view(b), view(c)}; };
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
  check_options(*problem);
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
