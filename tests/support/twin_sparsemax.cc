#include "support/twin_sparsemax.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace fovea::testing {
namespace {

constexpr double kMasked = -std::numeric_limits<double>::infinity();

// The entries that are not masked, largest first.
Doubles sorted(Doubles row) {
  std::erase(row, kMasked);
  std::sort(row.rbegin(), row.rend());
  return row;
}

// Martins and Astudillo 2016, algorithm 1.
Doubles sparsemax_row(const Doubles& row) {
  const Doubles z = sorted(row);
  double sum = 0, t = 0;
  for (size_t k = 1; k <= z.size(); ++k) {
    sum += z[k - 1];
    if (1 + k * z[k - 1] > sum) t = (sum - 1) / static_cast<double>(k);
  }
  Doubles y;
  for (double x : row) y.push_back(std::max(0.0, x - t));
  return y;
}

// The threshold of the first k of the sorted z = x / 2, for every k; the right
// one lies between z[k - 1] and z[k].
Doubles entmax15_row(const Doubles& row) {
  Doubles z = sorted(row);
  for (double& x : z) x /= 2;
  double t = 0;
  for (size_t k = 1; k <= z.size(); ++k) {
    const auto n = static_cast<double>(k);
    const double mean = std::accumulate(z.begin(), z.begin() + k, 0.0) / n;
    double squares = 0;
    for (size_t i = 0; i < k; ++i) squares += (z[i] - mean) * (z[i] - mean);
    if (squares > 1) continue;
    const double root = mean - std::sqrt((1 - squares) / n);
    if (z[k - 1] > root && (k == z.size() || z[k] <= root)) t = root;
  }
  Doubles y;
  for (double x : row) y.push_back(std::pow(std::max(0.0, x / 2 - t), 2));
  return y;
}

template <class Row>
Doubles by_rows(const Doubles& x, const std::vector<int>& lengths, Row of_row) {
  Doubles y;
  auto begin = x.begin();
  for (int length : lengths) {
    const Doubles row = of_row(Doubles(begin, begin + length));
    y.insert(y.end(), row.begin(), row.end());
    begin += length;
  }
  return y;
}

// dy_i / dx_j = g_i (i == j) - g_i g_j / sum(g).
template <class Slope>
Doubles backward(const Doubles& y, const Doubles& dy,
                 const std::vector<int>& lengths, Slope slope) {
  Doubles dx(y.size(), 0.0);
  size_t begin = 0;
  for (int length : lengths) {
    const size_t end = begin + length;
    double sum = 0;
    for (size_t i = begin; i < end; ++i) sum += slope(y[i]);
    for (size_t i = begin; sum > 0 && i < end; ++i) {
      for (size_t j = begin; j < end; ++j) {
        const double gi = slope(y[i]), gj = slope(y[j]);
        dx[j] += dy[i] * ((i == j ? gi : 0.0) - gi * gj / sum);
      }
    }
    begin = end;
  }
  return dx;
}

}  // namespace

Doubles twin_sparsemax(const Doubles& x, const std::vector<int>& lengths) {
  return by_rows(x, lengths, sparsemax_row);
}

Doubles twin_entmax15(const Doubles& x, const std::vector<int>& lengths) {
  return by_rows(x, lengths, entmax15_row);
}

Doubles twin_sparsemax_backward(const Doubles& x, const Doubles& dy,
                                const std::vector<int>& lengths) {
  return backward(twin_sparsemax(x, lengths), dy, lengths,
                  [](double y) { return y > 0 ? 1.0 : 0.0; });
}

Doubles twin_entmax15_backward(const Doubles& x, const Doubles& dy,
                               const std::vector<int>& lengths) {
  return backward(twin_entmax15(x, lengths), dy, lengths,
                  [](double y) { return std::sqrt(y); });
}

Doubles twin_keep_topk(const Doubles& x, const std::vector<int>& lengths,
                       int k) {
  return by_rows(x, lengths, [k](const Doubles& row) {
    std::vector<size_t> order(row.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return row[a] > row[b]; });
    Doubles y(row.size(), kMasked);
    for (size_t i = 0; i < order.size() && i < static_cast<size_t>(k); ++i) {
      y[order[i]] = row[order[i]];
    }
    return y;
  });
}

}  // namespace fovea::testing
