// The view of what heads are like (SPEC F15).
#include <algorithm>
#include <cmath>
#include <iterator>
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

// What each token gets from all queries of a layer.
Heatmap coverage_map(const Explanation& e, Tokens side, const char* title) {
  Heatmap map;
  map.title = title;
  map.note = "sums over queries, heads averaged";
  map.row_name = "layer", map.column_name = "token";
  map.columns = e.labels_of(side);
  map.range = ValueRange::kFromZero;
  map.caution = map_caution(e.faithfulness, {});
  for (const ExplainedLayer& layer : e.layers) {
    if (layer.keys != side) continue;
    map.rows.push_back(layer.name);
    std::ranges::copy(key_coverage(layer.shown(-1)),
                      std::back_inserter(map.values));
  }
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
  for (const auto& [side, title] :
       {std::pair{Tokens::kSource, "Coverage of the source"},
        std::pair{Tokens::kRead, "Coverage of what was written"}}) {
    Heatmap map = coverage_map(e, side, title);
    if (!map.rows.empty()) groups.push_back({std::move(map)});
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
