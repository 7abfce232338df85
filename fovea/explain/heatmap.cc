#include "fovea/explain/heatmap.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "fovea/base/check.h"

namespace fovea {
namespace {

constexpr float kSlack = 1e-4f;  // by which rounding may leave 0..1

template <class Fn>
void for_each_shown(const Heatmap& map, Fn fn) {
  for (size_t r = 0; r < map.rows.size(); ++r) {
    for (size_t c = 0; c < map.columns.size(); ++c) {
      if (map.is_shown(r, c)) fn(r, c, map.at(r, c));
    }
  }
}

void check_sizes(const Heatmap& map) {
  const size_t rows = map.rows.size(), columns = map.columns.size();
  check(map.values.size() == rows * columns, "heat map: ", map.values.size(),
        " values but ", rows, " row labels and ", columns, " column labels");
  check(map.shown.empty() || map.shown.size() == rows * columns,
        "heat map: ", map.shown.size(), " entries in the mask for ", rows,
        " x ", columns, " cells");
  check(map.marked.empty() || map.marked.size() == rows,
        "heat map: ", map.marked.size(), " marked columns for ", rows, " rows");
  for (const int column : map.marked) {
    check(column >= -1 && column < static_cast<int>(columns),
          "heat map: column ", column, " is marked, of ", columns);
  }
}

}  // namespace

void check_heatmap(const Heatmap& map) {
  check_sizes(map);
  for_each_shown(map, [&](size_t r, size_t c, float value) {
    check(std::isfinite(value), "heat map: the value in row ", r, " ('",
          map.rows[r], "'), column ", c, " ('", map.columns[c], "') is ",
          value);
    check(map.range != ValueRange::kUnit ||
              (value >= -kSlack && value <= 1 + kSlack),
          "heat map: the value in row ", r, ", column ", c, " is ", value,
          ", beyond 0..1: use another range");
  });
}

std::vector<int> row_argmax(const Heatmap& map) {
  check_sizes(map);
  std::vector<int> best(map.rows.size(), -1);
  for_each_shown(map, [&](size_t r, size_t c, float value) {
    if (best[r] < 0 || value > map.at(r, best[r])) {
      best[r] = static_cast<int>(c);
    }
  });
  return best;
}

bool has_hidden(const Heatmap& map) {
  return std::ranges::find(map.shown, false) != map.shown.end();
}

float row_sum(const Heatmap& map, size_t row) {
  double sum = 0;
  for (size_t c = 0; c < map.columns.size(); ++c) {
    if (map.is_shown(row, c)) sum += map.at(row, c);
  }
  return static_cast<float>(sum);
}

Heatmap heatmap_of_weights(const Tensor& weights, std::vector<std::string> rows,
                           std::vector<std::string> columns,
                           std::vector<bool> shown) {
  Heatmap map;
  map.caution = kUntestedCaution;
  map.rows = std::move(rows);
  map.columns = std::move(columns);
  map.values.assign(weights.span().begin(), weights.span().end());
  map.shown = std::move(shown);
  map.marked = row_argmax(map);
  map.range = ValueRange::kUnit;
  for_each_shown(map, [&](size_t, size_t, float value) {
    if (value < -kSlack) {
      map.range = ValueRange::kSymmetric;
    } else if (value > 1 + kSlack && map.range == ValueRange::kUnit) {
      map.range = ValueRange::kAuto;
    }
  });
  check_heatmap(map);
  return map;
}

}  // namespace fovea
