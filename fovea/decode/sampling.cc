#include "fovea/decode/sampling.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "fovea/base/check.h"

namespace fovea {
namespace {

// Columns that may be drawn, likeliest first where only some of them may.
std::vector<int> candidates(std::span<const float> scores,
                            const SearchConfig& config) {
  std::vector<int> columns;
  for (size_t i = 0; i < scores.size(); ++i) {
    if (scores[i] > -std::numeric_limits<float>::infinity()) {
      columns.push_back(static_cast<int>(i));
    }
  }
  check(!columns.empty(), "search: no word may follow");
  const auto likelier = [&](int a, int b) {
    return scores[a] > scores[b] || (scores[a] == scores[b] && a < b);
  };
  const auto most = static_cast<size_t>(config.top_k);
  if (most > 0 && most < columns.size()) {
    std::partial_sort(columns.begin(), columns.begin() + config.top_k,
                      columns.end(), likelier);
    columns.resize(most);
  } else if (config.top_p < 1) {
    std::sort(columns.begin(), columns.end(), likelier);
  }
  return columns;
}

}  // namespace

int draw(std::span<const float> scores, const SearchConfig& config,
         float uniform) {
  const std::vector<int> columns = candidates(scores, config);
  float largest = scores[columns.front()];
  for (int c : columns) largest = std::max(largest, scores[c]);
  std::vector<double> sums;
  double sum = 0;
  for (int c : columns) {
    sum += std::exp((scores[c] - largest) / config.temperature);
    sums.push_back(sum);
  }
  if (config.top_p < 1) {
    const auto enough =
        std::lower_bound(sums.begin(), sums.end(), sum * config.top_p);
    sum = enough == sums.end() ? sum : *enough;
  }
  const auto at = std::lower_bound(sums.begin(), sums.end(), sum * uniform);
  return columns[std::min<size_t>(at - sums.begin(), columns.size() - 1)];
}

}  // namespace fovea
