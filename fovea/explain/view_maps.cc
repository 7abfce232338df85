#include <algorithm>
#include <cmath>

#include "fovea/base/check.h"
#include "fovea/explain/faithfulness_words.h"
#include "fovea/explain/view_parts.h"

namespace fovea {
namespace {

std::string names_of(const std::vector<ExplainedLayer>& layers) {
  std::string names;
  for (const ExplainedLayer& layer : layers) names += " " + layer.name;
  return names;
}

MapGroups heads_view(const Explanation& e, const ViewOptions& options) {
  const ExplainedLayer layer = chosen_sentences(e, options);
  const auto map_of = [&](int head) {
    Heatmap map = layer_map(e, layer, head);
    map.caution = heads_caution(e, layer, options.head);
    return only_row(std::move(map), options.token);
  };
  if (options.head >= 0) return {{map_of(options.head)}};
  std::vector<Heatmap> maps;
  for (int h = 0; h < std::ssize(layer.weights); ++h) {
    maps.push_back(map_of(h));
  }
  return {std::move(maps)};
}

MapGroups model_view(const Explanation& e) {
  check_usage(!e.layers.empty(), "this model has no attention to show");
  std::vector<Heatmap> maps;
  for (const ExplainedLayer& layer : e.layers) {
    for (int h = 0; h < std::ssize(layer.weights); ++h) {
      maps.push_back(layer_map(e, layer, h));
      maps.back().title = join(layer.name, ", head ", h);
      maps.back().note.clear();
    }
  }
  return {std::move(maps)};
}

MapGroups rollout_view(const Explanation& e, const ViewOptions& options) {
  check_usage(!e.rollouts.empty(),
              "there is no rollout: no self-attention whose weights sum to 1");
  std::vector<Heatmap> maps;
  for (const ExplainedRollout& r : e.rollouts) {
    const auto labels = e.labels_of(r.tokens);
    const auto add = [&](const Tensor& values, const char* title) {
      Heatmap map = heatmap_of_weights(values, labels, labels);
      map.title = join(title, " of the ", r.name);
      map.note = "heads averaged, half of each layer is its residual";
      if (!r.note.empty()) map.note += join("; ", r.note);
      map.caution = map_caution(e.faithfulness, {});
      map.row_name = "top position", map.column_name = "input";
      map.range = ValueRange::kFromZero;
      maps.push_back(only_row(std::move(map), options.token));
    };
    add(r.rollout, "Rollout");
    if (r.flow.size() > 0) add(r.flow, "Flow");
  }
  return {std::move(maps)};
}

MapGroups gates_view(const Explanation& e) {
  check_usage(!e.gates.empty(),
              "this model has no gates; train one with --attend.select gated");
  std::vector<Heatmap> maps;
  for (const ExplainedGates& gates : e.gates) {
    const auto count = std::ssize(gates.probability);
    std::vector<float> rows = gates.probability;
    for (const float p : gates.probability) rows.push_back(p > 0.5f ? 1 : 0);
    const auto open = std::count(rows.begin() + count, rows.end(), 1.0f);
    std::vector<std::string> names = {"probability", "open"};
    if (!gates.weight.empty()) {
      rows.insert(rows.end(), gates.weight.begin(), gates.weight.end());
      names.emplace_back("mean weight");
    }
    Heatmap map =
        heatmap_of_weights(Tensor::from({std::ssize(names), count}, rows),
                           names, e.labels_of(Tokens::kSource));
    map.marked.clear();
    map.caution = map_caution(e.faithfulness, {});
    map.title = "Gates";
    map.note = join(gates.layer, "; ", open, " of ", count, " open");
    map.row_name = "gate", map.column_name = "token";
    maps.push_back(std::move(map));
  }
  return {std::move(maps)};
}

// The decoder's steps, each with the word that it writes and how sure it is.
MapGroups steps_view(const Explanation& e, const ViewOptions& options) {
  const std::string& name = options.layer.empty() || options.layer == kMeanLayer
                                ? e.alignment_layer
                                : options.layer;
  check_usage(!name.empty(),
              "this model has no attention from its translation to its source, "
              "and so no steps to show");
  check_usage(layer_of(e, name).queries == Tokens::kTarget, "layer ", name,
              " has no steps: its queries are no words that are written; "
              "--view heads shows it");
  ViewOptions by_token = options;
  by_token.words = false;
  by_token.token = -1;
  Heatmap map = source_map(e, by_token);
  for (size_t i = 0; i < map.rows.size() && i < e.log_probabilities.size();
       ++i) {
    const double percent = 100 * std::exp(e.log_probabilities[i]);
    map.rows[i] = join(i + 1, ". ", map.rows[i], " ",
                       static_cast<int>(std::lround(percent)), "%");
  }
  map.title = "Step by step";
  map.row_name = "step, token, probability";
  return {{only_row(std::move(map), options.token)}};
}

// The sentence of each token of one side of a layer.
std::vector<int> sentences_of(const Explanation& e, Tokens side) {
  switch (side) {
    case Tokens::kSource:
      return e.source.sentences;
    case Tokens::kTarget:
      return e.target.sentences;
    case Tokens::kRead: {  // what was written, one step later
      std::vector<int> all = e.target.sentences;
      all.insert(all.begin(), 0);
      all.pop_back();
      return all;
    }
    case Tokens::kNone:
      break;
  }
  return {0};
}

void check_sentence(int wanted, const std::vector<int>& there,
                    std::string_view what) {
  const int last = there.empty() ? 0 : there.back();
  check_usage(wanted <= last, what, " ", wanted, ": there are ", last + 1,
              ", the first being 0");
}

}  // namespace

ExplainedLayer chosen_sentences(const Explanation& e,
                                const ViewOptions& options) {
  ExplainedLayer layer = chosen_layer(e, options.layer);
  const int from = options.from_sentence, to = options.to_sentence;
  if (from < 0 && to < 0) return layer;
  const std::vector<int> queries = sentences_of(e, layer.queries);
  const std::vector<int> keys = sentences_of(e, layer.keys);
  check_sentence(from, queries, "from-sentence");
  check_sentence(to, keys, "to-sentence");
  for (Tensor& head : layer.weights) head = head.clone();
  for (size_t i = 0; i < queries.size(); ++i) {
    for (size_t j = 0; j < keys.size(); ++j) {
      if ((from < 0 || queries[i] == from) && (to < 0 || keys[j] == to)) {
        continue;
      }
      const size_t cell = i * keys.size() + j;
      layer.visible[cell] = false;
      for (Tensor& head : layer.weights) head[static_cast<int64_t>(cell)] = 0;
    }
  }
  return layer;
}

std::vector<std::string> numbered(std::string_view word, int64_t count) {
  std::vector<std::string> names;
  for (int64_t i = 0; i < count; ++i) names.push_back(join(word, i));
  return names;
}

std::string layer_caution(const Explanation& e, const ExplainedLayer& layer,
                          int head) {
  return map_caution(e.faithfulness,
                     {.layer = layer.name,
                      .head = head,
                      .heads = static_cast<int>(layer.weights.size())});
}

std::string heads_caution(const Explanation& e, const ExplainedLayer& layer,
                          int head) {
  const bool several = head < 0 && layer.weights.size() > 1;
  return several ? map_caution(e.faithfulness, {})
                 : layer_caution(e, layer, head);
}

std::string model_caution(const Explanation& e) {
  return e.layers.size() == 1 ? heads_caution(e, e.layers.front(), -1)
                              : map_caution(e.faithfulness, {});
}

// Weights of a layer with its own labels.
Heatmap layer_map(const Explanation& e, const ExplainedLayer& layer, int head) {
  const bool all =
      std::ranges::find(layer.visible, false) == layer.visible.end();
  Heatmap map = heatmap_of_weights(
      layer.shown(head), e.labels_of(layer.queries), e.labels_of(layer.keys),
      all ? std::vector<bool>{} : layer.visible);
  map.caution = layer_caution(e, layer, head);
  map.title = head >= 0 ? join("Head ", head)
                        : join("Mean of ", layer.weights.size(), " heads");
  map.note = layer.name;
  map.row_name = FieldText<Tokens>::print(layer.queries);
  map.column_name = FieldText<Tokens>::print(layer.keys);
  return map;
}

const ExplainedLayer& layer_of(const Explanation& e, const std::string& name) {
  for (const ExplainedLayer& layer : e.layers) {
    if (layer.name == name) return layer;
  }
  fail(ErrorKind::kUsage, "no layer is named '", name,
       "'; there are:", names_of(e.layers));
}

const ExplainedLayer& chosen_layer(const Explanation& e,
                                   const std::string& name) {
  if (!name.empty()) return layer_of(e, name);
  if (!e.alignment_layer.empty()) return layer_of(e, e.alignment_layer);
  check_usage(!e.layers.empty(), "this model has no attention to show");
  return e.layers.back();
}

MapGroups view_maps(const Explanation& e, View view,
                    const ViewOptions& options) {
  check_view_options(view, options);
  switch (view) {
    case View::kAlignment:
    case View::kFovea:
      return {{source_map(e, options)}};
    case View::kHeads:
      return heads_view(e, options);
    case View::kModel:
      return model_view(e);
    case View::kNeuron:
      return neuron_view(e, options);
    case View::kRollout:
      return rollout_view(e, options);
    case View::kGates:
      return gates_view(e);
    case View::kComposition:
      return composition_view(e, options);
    case View::kSteps:
      return steps_view(e, options);
    case View::kStatistics:
      return statistics_view(e);
  }
  fail(ErrorKind::kRun, "no such view");
}

}  // namespace fovea
