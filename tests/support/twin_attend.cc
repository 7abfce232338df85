#include "support/twin_attend.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/check_op.h"
#include "support/compare.h"
#include "support/random.h"

namespace fovea::testing {
namespace {

// The bias of the keys moves all scores of a row alike: its gradient is 0, and
// comes out as the rounding of numbers around 1.
constexpr double kGradientFloor = 0.1;
constexpr double kHidden = -std::numeric_limits<double>::infinity();

struct Matrix {
  Doubles numbers;
  size_t width = 0;
  std::span<const double> row(size_t i) const {
    return std::span(numbers).subspan(i * width, width);
  }
};

// Through the attention's linear layer of this name, if there is one.
Matrix projected(const Matrix& x, const std::string& layer,
                 const NamedDoubles& params) {
  const auto weight = params.find(layer + ".weight");
  if (weight == params.end()) return x;
  const auto bias = params.find(layer + ".bias");
  Matrix y{{}, weight->second.size() / x.width};
  for (size_t i = 0; i < x.numbers.size() / x.width; ++i) {
    Doubles row = twin_linear(weight->second, x.row(i));
    for (size_t j = 0; j < row.size(); ++j) {
      y.numbers.push_back(row[j] +
                          (bias == params.end() ? 0.0 : bias->second[j]));
    }
  }
  return y;
}

std::span<const double> part(std::span<const double> row, int index,
                             int count) {
  const size_t size = row.size() / count;
  return row.subspan(index * size, size);
}

// The keys of one query row: rows of the key matrix from `key` on.
struct Keys {
  const Matrix &rows, &values;
  int start = 0;
  TwinAttend::Window visible;
};

TwinAttend::Window visible_keys(const TwinAttend& twin,
                                const TwinQuery& query) {
  TwinAttend::Window w{0, query.keys};
  if (twin.window) w = twin.window(query);
  if (twin.problem.config.causal) {
    w.second = std::min(w.second, query.position + 1);
  }
  w.second = std::max(w.first, w.second);
  return w;
}

void attend_row(const TwinAttend& twin, const TwinQuery& query,
                const Keys& keys, TwinAttend::Result& out) {
  const ComposedConfig& c = twin.problem.config;
  const int key_heads = c.kv_heads ? c.kv_heads : c.heads;
  const auto [begin, end] = keys.visible;
  for (int h = 0; h < c.heads; ++h) {
    Doubles scores;
    for (int j = begin; j < end; ++j) {
      const double e = twin.score(
          {query, keys.rows.row(keys.start + j), j, h, c.heads, key_heads});
      const bool own = c.exclude_self && j == query.position;
      scores.push_back(own ? kHidden : e / c.temperature);
    }
    Doubles weights = twin.normalise(scores);
    if (twin.adjust) twin.adjust(query, begin, weights);
    out.weights.insert(out.weights.end(), weights.begin(), weights.end());
    Doubles sum(keys.values.width / key_heads, 0.0);
    for (int j = begin; j < end; ++j) {
      const auto v = part(keys.values.row(keys.start + j),
                          h / (c.heads / key_heads), key_heads);
      for (size_t i = 0; i < sum.size(); ++i)
        sum[i] += weights[j - begin] * v[i];
    }
    out.context.insert(out.context.end(), sum.begin(), sum.end());
  }
}

}  // namespace

const Doubles& TwinQuery::param(const std::string& name) const {
  return params.at(name);
}

std::span<const double> TwinPair::q() const {
  return part(query.row, head, heads);
}

std::span<const double> TwinPair::k() const {
  return part(key_row, key_head(), key_heads);
}

double twin_dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

Doubles twin_linear(const Doubles& weight, std::span<const double> x) {
  Doubles y;
  for (size_t i = 0; i < weight.size() / x.size(); ++i) {
    y.push_back(twin_dot(std::span(weight).subspan(i * x.size(), x.size()), x));
  }
  return y;
}

Doubles twin_softmax_row(const Doubles& scores) {
  double largest = kHidden, sum = 0;
  for (double e : scores) largest = std::max(largest, e);
  Doubles weights;
  for (double e : scores) {
    weights.push_back(e == kHidden ? 0.0 : std::exp(e - largest));
    sum += weights.back();
  }
  for (double& w : weights) w = sum > 0 ? w / sum : 0.0;
  return weights;
}

TwinAttend::Result TwinAttend::run(const Doubles& queries, const Doubles& keys,
                                   const Doubles& values,
                                   const NamedDoubles& params) const {
  const AttendCase& p = problem;
  const Matrix raw{queries, static_cast<size_t>(p.sizes.query)};
  const Matrix q = projected(raw, "query", params);
  const Matrix k =
      projected({keys, static_cast<size_t>(p.sizes.key)}, "key", params);
  const Matrix v =
      projected({values, static_cast<size_t>(p.sizes.value)}, "value", params);
  Result out;
  int m = 0, start = 0;
  for (size_t b = 0; b < p.queries.size(); ++b) {
    const int first = !p.position.empty() ? p.position[b]
                      : p.config.causal   ? p.keys[b] - p.queries[b]
                                          : 0;
    for (int i = 0; i < p.queries[b]; ++i, ++m) {
      const TwinQuery query{params, raw.row(m), q.row(m), first + i, p.keys[b]};
      attend_row(*this, query, {k, v, start, visible_keys(*this, query)}, out);
    }
    start += p.keys[b];
  }
  if (m > 0) {
    const Matrix context{out.context, out.context.size() / m};
    out.context = projected(context, "out", params).numbers;
  }
  return out;
}

void check_attend(const TwinAttend& twin) {
  const AttendCase& c = twin.problem;
  const auto attention = random_attention(c);
  const auto parameters = Params(*attention).parameters();
  const AttendRows rows = random_rows(c);
  std::vector<Tensor> inputs = {rows.queries.value(), rows.keys.value(),
                                rows.values.value()};
  for (const auto& [name, value] : parameters) inputs.push_back(value->value());
  const auto run_twin = [&](const std::vector<Doubles>& in) {
    NamedDoubles params;
    for (size_t i = 0; i < parameters.size(); ++i) {
      params[parameters[i].name] = in[i + 3];
    }
    return twin.run(in[0], in[1], in[2], params);
  };
  for (bool want_weights : {false, true}) {
    SCOPED_TRACE(c.config.score + (want_weights ? ", with weights" : ""));
    Attended last;
    check_op(
        [&](const std::vector<Var>& in) {
          for (size_t i = 0; i < parameters.size(); ++i) {
            *parameters[i].value = in[i + 3];
          }
          last =
              attend_once(*attention, c, {in[0], in[1], in[2]}, want_weights);
          return last.context;
        },
        [&](const auto& in) { return run_twin(in).context; }, inputs, 1e-5,
        kGradientFloor);
    if (!want_weights) continue;
    std::vector<Doubles> doubles;
    for (const Tensor& x : inputs) doubles.push_back(to_double(x));
    EXPECT_TRUE(
        close(last.weights.values.value(), run_twin(doubles).weights, 1e-5));
  }
}

}  // namespace fovea::testing
