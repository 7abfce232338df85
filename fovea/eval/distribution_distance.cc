#include "fovea/eval/distribution_distance.h"

#include <algorithm>
#include <cmath>

#include "fovea/base/check.h"

namespace fovea {
namespace {

constexpr double kTiny = 1e-10;

void check_sizes(std::span<const float> p, std::span<const float> q) {
  check(p.size() == q.size(), "distributions over ", p.size(), " and ",
        q.size(), " things");
}

double kl_term(double p, double q) {
  return p * std::log((p + kTiny) / (q + kTiny));
}

}  // namespace

double kl_divergence(std::span<const float> p, std::span<const float> q) {
  check_sizes(p, q);
  double sum = 0;
  for (size_t i = 0; i < p.size(); ++i) sum += kl_term(p[i], q[i]);
  return sum;
}

double js_divergence(std::span<const float> p, std::span<const float> q) {
  check_sizes(p, q);
  double sum = 0;
  for (size_t i = 0; i < p.size(); ++i) {
    const double mean = (double{p[i]} + q[i]) / 2;
    sum += (kl_term(p[i], mean) + kl_term(q[i], mean)) / 2;
  }
  return std::max(0.0, sum);
}

double total_variation(std::span<const float> p, std::span<const float> q) {
  check_sizes(p, q);
  double sum = 0;
  for (size_t i = 0; i < p.size(); ++i) sum += std::abs(double{p[i]} - q[i]);
  return sum / 2;
}

}  // namespace fovea
