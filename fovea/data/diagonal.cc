#include "fovea/data/diagonal.h"

#include <algorithm>
#include <cmath>

namespace fovea {
namespace {

constexpr double kLeast = 0.1, kMost = 20;

// Calls fn(i, weight) for all i. Both ways from the diagonal, each weight is a
// constant times its neighbour, so that two exponentials are enough.
template <class Fn>
void each_weight(const Lengths& of, int j, double tension, const Fn& fn) {
  const double ratio = std::exp(-tension / of.source);
  const int below =
      static_cast<int>(static_cast<int64_t>(j) * of.source / of.target);
  double weight = std::exp(-tension * off_diagonal(of, below, j));
  for (int i = below; i >= 1; --i, weight *= ratio) fn(i, weight);
  weight = std::exp(-tension * off_diagonal(of, below + 1, j));
  for (int i = below + 1; i <= of.source; ++i, weight *= ratio) fn(i, weight);
}

struct Moments {
  double mean = 0, variance = 0;
};

// Of the distance off the diagonal, for one j.
Moments moments(const Lengths& of, int j, double tension) {
  double sum = 0, first = 0, second = 0;
  each_weight(of, j, tension, [&](int i, double weight) {
    const double h = off_diagonal(of, i, j);
    sum += weight;
    first += weight * h;
    second += weight * h * h;
  });
  const double mean = first / sum;
  return {mean, std::max(0.0, second / sum - mean * mean)};
}

// The sums over all words.
Moments expected(std::span<const DiagonalCounts> counts, double tension) {
  Moments all;
  for (const DiagonalCounts& group : counts) {
    for (int j = 1; j <= group.of.target; ++j) {
      const Moments one = moments(group.of, j, tension);
      all.mean += group.linked[j - 1] * one.mean;
      all.variance += group.linked[j - 1] * one.variance;
    }
  }
  return all;
}

}  // namespace

double off_diagonal(const Lengths& of, int i, int j) {
  return std::abs(static_cast<double>(i) / of.source -
                  static_cast<double>(j) / of.target);
}

void fill_diagonal(const Lengths& of, int j, double tension, double total,
                   std::span<float> weights) {
  double sum = 0;
  each_weight(of, j, tension, [&](int i, double weight) {
    weights[i - 1] = static_cast<float>(weight);
    sum += weight;
  });
  const auto factor = static_cast<float>(total / sum);
  for (float& weight : weights) weight *= factor;
}

// Newton's method inside a bracket: the expected distance falls with tension.
double fit_tension(std::span<const DiagonalCounts> counts, double distance,
                   double start) {
  double low = kLeast, high = kMost;
  double tension = std::clamp(start, low, high);
  for (int round = 0; round < 50 && high - low > 1e-9; ++round) {
    const Moments now = expected(counts, tension);
    const double excess = now.mean - distance;
    (excess > 0 ? low : high) = tension;
    const double step = now.variance > 0 ? excess / now.variance : 0;
    double next = tension + step;
    if (next <= low || next >= high) next = (low + high) / 2;
    if (std::abs(next - tension) < 1e-9) break;
    tension = next;
  }
  return tension;
}

}  // namespace fovea
