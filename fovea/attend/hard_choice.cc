#include "fovea/attend/hard_choice.h"

#include <algorithm>
#include <numeric>
#include <span>

namespace fovea {
namespace {

// Calls choose(row, its weights) for each row and head; the result counts from
// the first of them, -1: none.
template <class Choose>
Chosen for_rows(const Tensor& weights, const Pairs& pairs,
                const Choose& choose) {
  Chosen chosen;
  for (int64_t m = 0; m < pairs.rows(); ++m) {
    const auto keys = static_cast<size_t>(pairs.row(m).keys);
    for (int h = 0; h < pairs.heads(); ++h) {
      const int64_t begin = pairs.begin(m, h);
      const int j =
          choose(pairs.row(m), std::span(weights.data() + begin, keys), begin);
      chosen.push_back(j < 0 ? -1 : begin + j);
    }
  }
  return chosen;
}

// Where a running sum of the weights passes `share` of their total.
int place_of(std::span<const float> weights, float share) {
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  double sum = 0;
  int last = -1;
  for (size_t j = 0; j < weights.size(); ++j) {
    if (weights[j] <= 0) continue;
    last = static_cast<int>(j);
    sum += weights[j];
    if (sum > share * total) break;
  }
  return last;
}

}  // namespace

RandomKey row_key(RandomKey key, const Pairs::Row& row) {
  return key.with(static_cast<uint64_t>(row.position));
}

Chosen choose_largest(const Tensor& weights, const Pairs& pairs) {
  return for_rows(
      weights, pairs,
      [](const Pairs::Row&, std::span<const float> of_row, int64_t) {
        const auto best = std::max_element(of_row.begin(), of_row.end());
        if (best == of_row.end() || *best <= 0) return -1;
        return static_cast<int>(best - of_row.begin());
      });
}

Chosen choose_by_draw(const Tensor& weights, const Pairs& pairs,
                      RandomKey key) {
  return for_rows(
      weights, pairs,
      [&](const Pairs::Row& row, std::span<const float> of_row, int64_t begin) {
        const auto index = static_cast<uint32_t>(begin);
        return place_of(of_row, random_uniform(row_key(key, row), index));
      });
}

Tensor one_hot(const Chosen& chosen, const Pairs& pairs) {
  Tensor y = Tensor::zeros({pairs.size()});
  for (int64_t i : chosen) {
    if (i >= 0) y[i] = 1.0f;
  }
  return y;
}

}  // namespace fovea
