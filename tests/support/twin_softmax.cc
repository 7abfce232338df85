#include "support/twin_softmax.h"

#include <cmath>
#include <limits>

namespace fovea::testing {
namespace {

constexpr double kMasked = -std::numeric_limits<double>::infinity();

// log(sum(exp(row))), minus infinity if all is masked.
double log_sum_exp(const Doubles& x, size_t begin, size_t end) {
  double largest = kMasked, sum = 0;
  for (size_t i = begin; i < end; ++i) largest = std::fmax(largest, x[i]);
  if (largest == kMasked) return kMasked;
  for (size_t i = begin; i < end; ++i) sum += std::exp(x[i] - largest);
  return largest + std::log(sum);
}

}  // namespace

Doubles twin_softmax(const Doubles& x, const std::vector<int>& lengths) {
  Doubles y(x.size());
  size_t begin = 0;
  for (int length : lengths) {
    const double total = log_sum_exp(x, begin, begin + length);
    for (size_t i = begin; i < begin + length; ++i) {
      y[i] = x[i] == kMasked ? 0.0 : std::exp(x[i] - total);
    }
    begin += length;
  }
  return y;
}

Doubles twin_softmax_backward(const Doubles& x, const Doubles& dy,
                              const std::vector<int>& lengths) {
  const Doubles y = twin_softmax(x, lengths);
  Doubles dx(x.size(), 0.0);
  size_t begin = 0;
  for (int length : lengths) {
    // The full Jacobian: dy_i / dx_j = y_i (i == j) - y_i y_j.
    for (size_t i = begin; i < begin + length; ++i) {
      for (size_t j = begin; j < begin + length; ++j) {
        dx[j] += dy[i] * ((i == j ? y[i] : 0.0) - y[i] * y[j]);
      }
    }
    begin += length;
  }
  return dx;
}

Doubles twin_log_softmax(const Doubles& x, const std::vector<int>& lengths) {
  Doubles y(x.size());
  size_t begin = 0;
  for (int length : lengths) {
    const double total = log_sum_exp(x, begin, begin + length);
    for (size_t i = begin; i < begin + length; ++i) {
      y[i] = x[i] == kMasked ? kMasked : x[i] - total;
    }
    begin += length;
  }
  return y;
}

Doubles twin_log_softmax_backward(const Doubles& x, const Doubles& dy,
                                  const std::vector<int>& lengths) {
  const Doubles y = twin_softmax(x, lengths);
  Doubles dx(x.size(), 0.0);
  size_t begin = 0;
  for (int length : lengths) {
    for (size_t i = begin; i < begin + length; ++i) {
      if (x[i] == kMasked) continue;
      for (size_t j = begin; j < begin + length; ++j) {
        dx[j] += dy[i] * ((i == j ? 1.0 : 0.0) - y[j]);
      }
    }
    begin += length;
  }
  return dx;
}

}  // namespace fovea::testing
