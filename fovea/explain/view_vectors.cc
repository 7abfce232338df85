// The views of vectors.
#include <algorithm>

#include "fovea/base/check.h"
#include "fovea/explain/faithfulness_words.h"
#include "fovea/explain/rows.h"
#include "fovea/explain/view_parts.h"

namespace fovea {
namespace {

// A map of numbers of either sign.
Heatmap signed_map(const Tensor& values, std::vector<std::string> rows,
                   std::vector<std::string> columns) {
  Heatmap map;
  map.rows = std::move(rows);
  map.columns = std::move(columns);
  map.values.assign(values.span().begin(), values.span().end());
  map.range = ValueRange::kSymmetric;
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

// <a_i, b_j> * scale
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

Tensor row_at(const Tensor& m, int64_t row) {
  return Tensor::from({1, m.cols()},
                      m.span().subspan(row * m.cols(), m.cols()));
}

}  // namespace

// One query: its numbers, those of all keys, their products, what these sum to
// and the weight that it gives.
MapGroups neuron_view(const Explanation& e, const ViewOptions& options) {
  const ExplainedLayer& layer = layer_with_vectors(e, options);
  const int head = std::max(0, options.head);
  const Tensor weights = layer.shown(head);
  const auto& queries = e.labels_of(layer.queries);
  const auto& keys = e.labels_of(layer.keys);
  const int token = std::max(0, options.token);
  check_usage(token < std::ssize(queries), "token ", token, ": there are ",
              queries.size(), ", the first being 0");
  const Tensor query = row_at(layer.vectors->query[head], token);
  const Tensor& key = layer.vectors->key[head];
  Tensor products({key.dim(0), key.cols()});
  for (int64_t i = 0; i < products.size(); ++i) {
    products[i] = query[i % key.cols()] * key[i];
  }
  const std::string note =
      join(layer.name, ", head ", head, ", query '", queries[token],
           "'; score = ", layer.vectors->scale, " x sum of products");
  const int most = options.dimensions;
  const auto names = numbered("", std::min<int64_t>(most, key.cols()));
  Heatmap q = signed_map(first_columns(query, most), {queries[token]}, names);
  Heatmap k = signed_map(first_columns(key, most), keys, names);
  Heatmap p = signed_map(first_columns(products, most), keys, names);
  q.title = "Query", k.title = "Keys", p.title = "Products";
  q.note = note;
  for (Heatmap* map : {&q, &k, &p}) {
    map->row_name = "token", map->column_name = "dimension";
  }
  if (key.cols() > most) {
    p.note = join("the first ", most, " of ", key.cols(), " dimensions");
  }
  Heatmap score =
      signed_map(scores_of(query, key, layer.vectors->scale), {"score"}, keys);
  score.title = "Scores";
  Heatmap weight = heatmap_of_weights(row_at(weights, token), {"weight"}, keys);
  weight.title = "Weights";
  weight.caution = map_caution(e.faithfulness);
  return {{q, k}, {p}, {score}, {weight}};
}

// Six steps: words, their queries, keys and values, scores, weights, result.
MapGroups composition_view(const Explanation& e, const ViewOptions& options) {
  const ExplainedLayer& layer = layer_with_vectors(e, options);
  const int head = std::max(0, options.head);
  const Tensor weights = layer.shown(head);
  const ExplainedVectors& v = *layer.vectors;
  const auto& queries = e.labels_of(layer.queries);
  const auto& keys = e.labels_of(layer.keys);
  const int most = options.dimensions;
  const auto vectors = [&](const Tensor& rows, const char* title,
                           const std::vector<std::string>& labels) {
    Heatmap map =
        signed_map(first_columns(rows, most), labels,
                   numbered("", std::min<int64_t>(most, rows.cols())));
    map.title = title;
    map.row_name = "token", map.column_name = "dimension";
    return map;
  };
  Tensor result = Tensor::zeros({weights.dim(0), v.value[head].cols()});
  for (int64_t i = 0; i < weights.dim(0); ++i) {
    for (int64_t j = 0; j < weights.cols(); ++j) {
      for (int64_t d = 0; d < result.cols(); ++d) {
        result[i * result.cols() + d] += weights[i * weights.cols() + j] *
                                         v.value[head][j * result.cols() + d];
      }
    }
  }
  Heatmap scores =
      signed_map(scores_of(v.query[head], v.key[head], v.scale), queries, keys);
  scores.title = "4. Scores";
  if (std::ranges::find(layer.visible, false) != layer.visible.end()) {
    scores.shown = layer.visible;
  }
  Heatmap shown = layer_map(e, layer, head);
  shown.title = "5. Weights";
  Heatmap first = vectors(v.query[head], "1. Queries", queries);
  first.note = join(layer.name, ", head ", head);
  return {{first, vectors(v.key[head], "2. Keys", keys),
           vectors(v.value[head], "3. Values", keys)},
          {scores},
          {shown},
          {vectors(result, "6. Weighted values", queries)}};
}

}  // namespace fovea
