#include "fovea/autograd/attention_problem.h"

#include <algorithm>
#include <cmath>

#include "fovea/base/check.h"

namespace fovea {
namespace {

void check_sizes(const kernels::AttentionOptions& options,
                 const AttentionViews& x) {
  const int heads = options.heads, kv_heads = options.kv_heads;
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
int64_t check_spans(std::vector<AttentionSpan> spans, const AttentionViews& x) {
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

}  // namespace

AttentionProblem::AttentionProblem(std::vector<AttentionSpan> spans_,
                                   const AttentionConfig& config_)
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

void AttentionProblem::check_options() const {
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
  for (int head : config.weight_heads) {
    check(head >= 0 && head < heads, "attention: weights of head ", head,
          " of ", heads);
  }
}

bool AttentionProblem::fit(const AttentionViews& x) {
  check_options();
  check_sizes(options, x);
  if (options.scale == 0) {
    const auto size = static_cast<float>(x.q.cols / options.heads);
    options.scale = 1.0f / std::sqrt(size);
  }
  return check_spans(spans, x) == x.q.rows;
}

}  // namespace fovea
