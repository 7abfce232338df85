// The view of one query, number by number (SPEC E6).
#include <algorithm>
#include <numeric>

#include "fovea/base/check.h"
#include "fovea/explain/rows.h"
#include "fovea/explain/view_parts.h"

namespace fovea {
namespace {

Tensor row_at(const Tensor& m, int64_t row) {
  return Tensor::from({1, m.cols()},
                      m.span().subspan(row * m.cols(), m.cols()));
}

// Products of the query with each key, [keys, dimensions].
Tensor products_of(const Tensor& query, const Tensor& key) {
  Tensor products({key.dim(0), key.cols()});
  for (int64_t i = 0; i < products.size(); ++i) {
    products[i] = query[i % key.cols()] * key[i];
  }
  return products;
}

// The sum of those that are not shown, [keys, 1], so that what is shown adds
// up; a map of its own, for beside such sums single products are as good as 0.
Heatmap rest_map(const Tensor& products, const std::vector<std::string>& keys,
                 int64_t shown) {
  const int64_t width = products.cols();
  Tensor rest({products.dim(0), 1});
  for (int64_t i = 0; i < products.dim(0); ++i) {
    const auto row = products.span().subspan(i * width, width);
    rest[i] = static_cast<float>(
        std::accumulate(row.begin() + shown, row.end(), 0.0));
  }
  Heatmap map = signed_map(rest, keys, {"rest"});
  map.title = "Rest of the products";
  map.note = join("the sum of the other ", width - shown, " dimensions");
  map.row_name = "token", map.column_name = "dimensions";
  return map;
}

// Which keys the query sees; empty: all.
std::vector<bool> visible_keys(const ExplainedLayer& layer, int token) {
  const auto keys = layer.weights.front().cols();
  const auto first = layer.visible.begin() + token * keys;
  const std::vector<bool> row(first, first + keys);
  return std::ranges::find(row, false) == row.end() ? std::vector<bool>{} : row;
}

// Each of them for so many cells.
std::vector<bool> repeated(const std::vector<bool>& keys, size_t times) {
  std::vector<bool> all;
  for (const bool key : keys) all.insert(all.end(), times, key);
  return all;
}

}  // namespace

Heatmap signed_map(const Tensor& values, std::vector<std::string> rows,
                   std::vector<std::string> columns) {
  Heatmap map;
  map.rows = std::move(rows);
  map.columns = std::move(columns);
  map.values.assign(values.span().begin(), values.span().end());
  map.range = ValueRange::kSymmetric;
  return map;
}

Heatmap vector_map(const Tensor& vectors, std::vector<std::string> rows,
                   int dimensions) {
  const Tensor few = first_columns(vectors, dimensions);
  Heatmap map = signed_map(few, std::move(rows), numbered("", few.cols()));
  map.row_name = "token", map.column_name = "dimension";
  return map;
}

const ExplainedLayer& layer_with_vectors(const Explanation& e,
                                         const ViewOptions& options) {
  if (!options.layer.empty()) {
    const ExplainedLayer& layer = layer_of(e, options.layer);
    check_usage(layer.vectors.has_value(), "layer ", layer.name,
                " has no vectors to show: its weights are no softmax of dot "
                "products");
    return layer;
  }
  for (const ExplainedLayer& layer : e.layers) {
    if (layer.vectors) return layer;
  }
  fail(ErrorKind::kUsage,
       "this model has no vectors to show: no weights are a softmax of dot "
       "products");
}

Tensor scores_of(const Tensor& a, const Tensor& b, float scale) {
  Tensor scores({a.dim(0), b.dim(0)});
  for (int64_t i = 0; i < a.dim(0); ++i) {
    for (int64_t j = 0; j < b.dim(0); ++j) {
      double sum = 0;
      for (int64_t d = 0; d < a.cols(); ++d) {
        sum += static_cast<double>(a[i * a.cols() + d]) * b[j * b.cols() + d];
      }
      scores[i * b.dim(0) + j] = static_cast<float>(scale * sum);
    }
  }
  return scores;
}

// One query: its numbers, those of all keys, their products, what these sum to
// and the weight that it gives.
MapGroups neuron_view(const Explanation& e, const ViewOptions& options) {
  const ExplainedLayer& layer = layer_with_vectors(e, options);
  const int head = std::max(0, options.head),
            token = std::max(0, options.token);
  const Tensor weights = layer.shown(head);
  const auto queries = e.labels_of(layer.queries);
  const auto keys = e.labels_of(layer.keys);
  check_token(token, queries.size());
  const std::vector<bool> visible = visible_keys(layer, token);
  const Tensor query = row_at(layer.vectors->query[head], token);
  const Tensor& key = layer.vectors->key[head];
  Heatmap q = vector_map(query, {queries[token]}, options.dimensions);
  Heatmap k = vector_map(key, keys, options.dimensions);
  const Tensor products = products_of(query, key);
  Heatmap p = vector_map(products, keys, options.dimensions);
  Heatmap score =
      signed_map(scores_of(query, key, layer.vectors->scale), {"score"}, keys);
  Heatmap weight =
      heatmap_of_weights(row_at(weights, token), {"weight"}, keys, visible);
  q.title = "Query", k.title = "Keys", p.title = "Products";
  score.title = "Scores", weight.title = "Weights";
  q.note = join(layer.name, ", head ", head, ", query '", queries[token],
                "'; score = ", layer.vectors->scale, " x sum of products");
  score.shown = visible;
  p.shown = repeated(visible, p.columns.size());
  weight.caution = layer_caution(e, layer, head);
  MapGroups groups = {{q, k}, {p}};
  if (const int64_t shown = std::ssize(p.columns); shown < key.cols()) {
    p = rest_map(products, keys, shown);
    p.shown = visible;
    groups.push_back({p});
  }
  groups.push_back({score});
  groups.push_back({weight});
  return groups;
}

}  // namespace fovea
