#include "fovea/eval/rank_correlation.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "fovea/base/check.h"

namespace fovea {
namespace {

constexpr int64_t kMostExact = 33;

// Sums over groups of equal values of t of them.
struct Ties {
  double pairs = 0;    // t(t-1)/2
  double triples = 0;  // t(t-1)(t-2)
  double spread = 0;   // t(t-1)(2t+5)
};

Ties ties_of(std::span<const float> values) {
  std::vector<float> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  Ties ties;
  for (auto begin = sorted.begin(); begin != sorted.end();) {
    const auto end = std::upper_bound(begin, sorted.end(), *begin);
    const auto t = static_cast<double>(end - begin);
    ties.pairs += t * (t - 1) / 2;
    ties.triples += t * (t - 1) * (t - 2);
    ties.spread += t * (t - 1) * (2 * t + 5);
    begin = end;
  }
  return ties;
}

// Pairs in the same order less those in the opposite one.
double balance_of(std::span<const float> x, std::span<const float> y) {
  double balance = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      const int a = (x[i] > x[j]) - (x[i] < x[j]);
      balance += a * ((y[i] > y[j]) - (y[i] < y[j]));
    }
  }
  return balance;
}

// The share of all orders of n things with at most so many inversions.
double share_of_orders(int64_t n, int64_t inversions) {
  std::vector<double> shares = {1.0};  // by number of inversions
  for (int64_t i = 2; i <= n; ++i) {
    std::vector<double> next(shares.size() + i - 1, 0.0);
    for (size_t k = 0; k < shares.size(); ++k) {
      for (int64_t j = 0; j < i; ++j) {
        next[k + j] += shares[k] / static_cast<double>(i);
      }
    }
    shares = std::move(next);
  }
  double sum = 0;
  for (int64_t k = 0; k <= inversions; ++k) sum += shares[k];
  return sum;
}

double approximate_p(double balance, double n, const Ties& x, const Ties& y) {
  const double m = n * (n - 1);
  double variance =
      (m * (2 * n + 5) - x.spread - y.spread) / 18 + 2 * x.pairs * y.pairs / m;
  if (n > 2) variance += x.triples * y.triples / (9 * m * (n - 2));
  return std::erfc(std::abs(balance) / std::sqrt(2 * variance));
}

// Ranks from 1, equal values share theirs.
std::vector<double> ranks_of(std::span<const float> values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, {}, [&](size_t i) { return values[i]; });
  std::vector<double> ranks(values.size());
  for (size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && values[order[end]] == values[order[begin]]) {
      ++end;
    }
    const double shared = 0.5 * static_cast<double>(begin + 1 + end);
    for (size_t i = begin; i < end; ++i) ranks[order[i]] = shared;
  }
  return ranks;
}

double correlation(const std::vector<double>& x, const std::vector<double>& y) {
  const auto n = static_cast<double>(x.size());
  const double mx = std::accumulate(x.begin(), x.end(), 0.0) / n;
  const double my = std::accumulate(y.begin(), y.end(), 0.0) / n;
  double xy = 0, xx = 0, yy = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mx) * (y[i] - my);
    xx += (x[i] - mx) * (x[i] - mx);
    yy += (y[i] - my) * (y[i] - my);
  }
  if (xx == 0 || yy == 0) return std::numeric_limits<double>::quiet_NaN();
  return xy / std::sqrt(xx * yy);
}

}  // namespace

RankCorrelation kendall_tau_b(std::span<const float> x,
                              std::span<const float> y) {
  check(x.size() == y.size(), "tau: lists of ", x.size(), " and ", y.size());
  const auto n = static_cast<double>(x.size());
  const double pairs = n * (n - 1) / 2;
  const Ties in_x = ties_of(x), in_y = ties_of(y);
  const double size = std::sqrt((pairs - in_x.pairs) * (pairs - in_y.pairs));
  if (size == 0) return {std::numeric_limits<double>::quiet_NaN(), 1.0};
  const double balance = balance_of(x, y);
  const double tau = std::clamp(balance / size, -1.0, 1.0);
  if (in_x.pairs + in_y.pairs > 0 || std::ssize(x) > kMostExact) {
    return {tau, approximate_p(balance, n, in_x, in_y)};
  }
  const auto least = static_cast<int64_t>((pairs - std::abs(balance)) / 2);
  return {tau, std::min(1.0, 2 * share_of_orders(std::ssize(x), least))};
}

double spearman(std::span<const float> x, std::span<const float> y) {
  check(x.size() == y.size(), "spearman: ", x.size(), " and ", y.size(),
        " numbers");
  return correlation(ranks_of(x), ranks_of(y));
}

}  // namespace fovea
