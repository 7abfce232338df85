// The view of what heads are like (SPEC F15).
#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

#include "fovea/base/check.h"
#include "fovea/explain/faithfulness_words.h"
#include "fovea/explain/view_parts.h"

namespace fovea {
namespace {

// One statistic of all heads of all layers.
Heatmap statistic_map(const Explanation& e, const HeadStatistic& statistic) {
  size_t most = 0;
  Heatmap map;
  for (const ExplainedLayer& layer : e.layers) {
    most = std::max(most, layer.statistics.size());
    map.rows.push_back(layer.name);
  }
  map.title = statistic.title;
  map.columns = numbered("head ", static_cast<int64_t>(most));
  map.row_name = "layer", map.column_name = "head";
  for (const ExplainedLayer& layer : e.layers) {
    for (size_t h = 0; h < most; ++h) {
      const bool there = h < layer.statistics.size();
      const double value = there ? layer.statistics[h].*statistic.value : NAN;
      map.shown.push_back(std::isfinite(value));
      map.values.push_back(static_cast<float>(value));
    }
  }
  return map;
}

Heatmap distance_map(const ExplainedLayer& layer) {
  const auto names = numbered("head ", std::ssize(layer.weights));
  const Tensor distances = head_distances(layer.weights);
  Heatmap map;
  map.title = join("Distance of heads, ", layer.name);
  map.note = "Jensen-Shannon divergence, the mean over queries; 0.69 at most";
  map.rows = map.columns = names;
  map.row_name = map.column_name = "head";
  map.values.assign(distances.span().begin(), distances.span().end());
  map.range = ValueRange::kFromZero;
  return map;
}

// What each of some items, words or tokens, gets from all queries of a layer.
Heatmap coverage_map(const Explanation& e, Tokens side, const Items& items) {
  Heatmap map;
  map.note = "sums over queries, heads averaged";
  map.row_name = "layer";
  map.columns = items.labels;
  map.range = ValueRange::kFromZero;
  map.caution = model_caution(e);
  for (const ExplainedLayer& layer : e.layers) {
    if (layer.keys != side) continue;
    map.rows.push_back(layer.name);
    const size_t first = map.values.size();
    map.values.resize(first + items.labels.size());
    const std::vector<float> tokens = key_coverage(layer.shown(-1));
    for (size_t i = 0; i < tokens.size(); ++i) {
      map.values[first + items.of[i]] += tokens[i];
    }
  }
  return map;
}

Heatmap source_coverage(const Explanation& e) {
  Heatmap map = coverage_map(e, Tokens::kSource, words_in(e.source));
  map.title = "Coverage of the source";
  map.column_name = "word";
  return map;
}

Heatmap written_coverage(const Explanation& e) {
  Items tokens{e.labels_of(Tokens::kRead), {}};
  tokens.of.resize(tokens.labels.size());
  std::iota(tokens.of.begin(), tokens.of.end(), 0);
  Heatmap map = coverage_map(e, Tokens::kRead, tokens);
  map.title = "Coverage of what was written";
  map.column_name = "token";
  return map;
}

}  // namespace

MapGroups head_maps(const Explanation& e) {
  std::vector<Heatmap> distances;
  for (const ExplainedLayer& layer : e.layers) {
    if (layer.weights.size() > 1) distances.push_back(distance_map(layer));
  }
  MapGroups groups;
  if (!distances.empty()) groups.push_back(std::move(distances));
  for (const Heatmap& map : {source_coverage(e), written_coverage(e)}) {
    if (!map.rows.empty()) groups.push_back({map});
  }
  return groups;
}

MapGroups statistics_view(const Explanation& e) {
  check_usage(!e.layers.empty(), "this model has no attention to show");
  MapGroups groups;
  for (const HeadStatistic& statistic : kHeadStatistics) {
    groups.push_back({statistic_map(e, statistic)});
  }
  std::ranges::move(head_maps(e), std::back_inserter(groups));
  return groups;
}

}  // namespace fovea
