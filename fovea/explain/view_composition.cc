// How a layer composes what words mean (SPEC E16).
#include <algorithm>

#include "fovea/base/check.h"
#include "fovea/explain/faithfulness_words.h"
#include "fovea/explain/rollout.h"
#include "fovea/explain/view_parts.h"

namespace fovea {
namespace {

bool sees_all(const ExplainedLayer& layer) {
  return std::ranges::find(layer.visible, false) == layer.visible.end();
}

Tensor weighted(const Tensor& weights, const Tensor& values) {
  const int64_t width = values.cols();
  Tensor result = Tensor::zeros({weights.dim(0), width});
  for (int64_t i = 0; i < weights.dim(0); ++i) {
    for (int64_t j = 0; j < weights.cols(); ++j) {
      for (int64_t d = 0; d < width; ++d) {
        result[i * width + d] +=
            weights[i * weights.cols() + j] * values[j * width + d];
      }
    }
  }
  return result;
}

// What two words have to do with each other, whoever asks: the mean of both
// scores, above the diagonal.
Heatmap pair_map(const Tensor& scores, const std::vector<std::string>& tokens) {
  Heatmap map = signed_map(scores, tokens, tokens);
  const auto count = std::ssize(tokens);
  for (int64_t i = 0; i < count; ++i) {
    for (int64_t j = 0; j < count; ++j) {
      map.shown.push_back(i < j);
      map.values[i * count + j] =
          (scores[i * count + j] + scores[j * count + i]) / 2;
    }
  }
  map.title = "7. Pairs";
  map.note = "the mean of both scores of two tokens";
  map.row_name = map.column_name = "token";
  return map;
}

const ExplainedLayer* next_layer(const Explanation& e,
                                 const ExplainedLayer& layer) {
  bool below = true;
  for (const ExplainedLayer& other : e.layers) {
    if (&other == &layer) {
      below = false;
    } else if (!below && other.kind == layer.kind &&
               other.queries == layer.queries && other.keys == layer.keys) {
      return &other;
    }
  }
  return nullptr;
}

// What of each word is in each position after one layer more.
Heatmap next_map(const Explanation& e, const ExplainedLayer& layer,
                 const ExplainedLayer& next) {
  const auto tokens = e.labels_of(layer.queries);
  Heatmap map = heatmap_of_weights(
      attention_rollout({layer.shown(-1), next.shown(-1)}).back(), tokens,
      tokens);
  map.title = "8. After the next layer";
  map.note = join("how much of each token is in what ", next.name,
                  " makes: heads averaged, half of each layer is its residual");
  map.row_name = "position", map.column_name = "token";
  map.caution = map_caution(e.faithfulness, {});
  map.range = ValueRange::kFromZero;
  return map;
}

}  // namespace

// Six steps: words, their queries, keys and values, scores, weights, result;
// where words look at words also pairs of them and what the next layer makes.
MapGroups composition_view(const Explanation& e, const ViewOptions& options) {
  const ExplainedLayer& layer = layer_with_vectors(e, options);
  const int head = std::max(0, options.head), most = options.dimensions;
  const Tensor weights = layer.shown(head);
  const ExplainedVectors& v = *layer.vectors;
  const auto queries = e.labels_of(layer.queries);
  const auto keys = e.labels_of(layer.keys);
  const auto vectors = [&](const Tensor& rows, const char* title,
                           const std::vector<std::string>& labels) {
    Heatmap map = vector_map(rows, labels, most);
    map.title = title;
    return map;
  };
  const auto asked = [&](Heatmap map) {
    return only_row(std::move(map), options.token);
  };
  const Tensor scores = scores_of(v.query[head], v.key[head], v.scale);
  Heatmap score = signed_map(scores, queries, keys);
  score.title = "4. Scores";
  if (!sees_all(layer)) score.shown = layer.visible;
  Heatmap weight = layer_map(e, layer, head);
  weight.title = "5. Weights";
  Heatmap query = asked(vectors(v.query[head], "1. Queries", queries));
  query.note = join(layer.name, ", head ", head);
  MapGroups groups;
  if (layer.keys == Tokens::kSource && e.embedding_states.size() > 0) {
    groups.push_back({vectors(e.embedding_states, "Embeddings", keys)});
  }
  groups.push_back({query, vectors(v.key[head], "2. Keys", keys),
                    vectors(v.value[head], "3. Values", keys)});
  groups.push_back({asked(score)});
  groups.push_back({asked(weight)});
  groups.push_back({asked(vectors(weighted(weights, v.value[head]),
                                  "6. Weighted values", queries))});
  if (layer.queries != layer.keys || !sees_all(layer)) return groups;
  groups.push_back({pair_map(scores, queries)});
  if (const ExplainedLayer* next = next_layer(e, layer)) {
    groups.push_back({asked(next_map(e, layer, *next))});
  }
  return groups;
}

}  // namespace fovea
