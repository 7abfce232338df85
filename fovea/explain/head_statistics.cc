#include "fovea/explain/head_statistics.h"

#include <algorithm>
#include <cmath>

#include "fovea/base/check.h"
#include "fovea/eval/distribution_distance.h"
#include "fovea/eval/rank_correlation.h"
#include "fovea/explain/rows.h"

namespace fovea {
namespace {

bool sees_a_key(std::span<const float> row) {
  return std::ranges::any_of(row, [](float w) { return w != 0; });
}

// x log x, which is 0 at 0.
double x_log_x(double x) { return x > 0 ? x * std::log(x) : 0; }

double entropy(std::span<const float> row) {
  double sum = 0;
  for (const float w : row) sum -= x_log_x(w);
  return sum;
}

double share_of(std::span<const float> row, std::span<const int> special) {
  double share = 0;
  for (const int key : special) share += row[key];
  return share;
}

double distance(std::span<const float> row, int64_t query) {
  double sum = 0;
  for (size_t j = 0; j < row.size(); ++j) {
    sum +=
        row[j] * std::abs(static_cast<double>(query) - static_cast<double>(j));
  }
  return sum;
}

}  // namespace

HeadStatistics head_statistics(const Tensor& weights,
                               std::span<const int> special) {
  HeadStatistics sum;
  std::vector<float> queries, looked_at;
  for (int64_t i = 0; i < weights.dim(0); ++i) {
    const std::span<const float> row = row_of(weights, i);
    if (!sees_a_key(row)) continue;
    const int most = first_largest(row);
    const double h = entropy(row);
    sum.entropy += h;
    sum.largest += row[most];
    sum.effective_keys += std::exp(h);
    sum.distance += distance(row, i);
    sum.special += share_of(row, special);
    queries.push_back(static_cast<float>(i));
    looked_at.push_back(static_cast<float>(most));
  }
  check(!queries.empty(), "no query sees a key");
  const auto n = static_cast<double>(queries.size());
  return {.entropy = sum.entropy / n,
          .largest = sum.largest / n,
          .effective_keys = sum.effective_keys / n,
          .distance = sum.distance / n,
          .special = sum.special / n,
          .monotonicity = spearman(queries, looked_at)};
}

std::vector<float> key_coverage(const Tensor& weights) {
  std::vector<float> sums(weights.dim(1), 0.0f);
  for (int64_t i = 0; i < weights.dim(0); ++i) {
    const std::span<const float> row = row_of(weights, i);
    for (size_t j = 0; j < row.size(); ++j) sums[j] += row[j];
  }
  return sums;
}

double head_distance(const Tensor& a, const Tensor& b) {
  check(a.shape() == b.shape(), "heads of shapes ", a.shape(), " and ",
        b.shape());
  double sum = 0;
  int64_t rows = 0;
  for (int64_t i = 0; i < a.dim(0); ++i) {
    if (!sees_a_key(row_of(a, i)) && !sees_a_key(row_of(b, i))) continue;
    sum += js_divergence(row_of(a, i), row_of(b, i));
    ++rows;
  }
  return rows ? sum / static_cast<double>(rows) : 0;
}

Tensor head_distances(const std::vector<Tensor>& heads) {
  const auto count = std::ssize(heads);
  Tensor all = Tensor::zeros({count, count});
  for (int64_t i = 0; i < count; ++i) {
    for (int64_t j = 0; j < i; ++j) {
      all[i * count + j] = all[j * count + i] =
          static_cast<float>(head_distance(heads[i], heads[j]));
    }
  }
  return all;
}

}  // namespace fovea
