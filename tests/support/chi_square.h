#pragma once

#include <vector>

namespace fovea::testing {

// Pearson's statistic of counts against probabilities.
inline double chi_square(const std::vector<int>& counts,
                         const std::vector<double>& probabilities) {
  double total = 0, sum = 0;
  for (int count : counts) total += count;
  for (size_t i = 0; i < counts.size(); ++i) {
    const double expected = total * probabilities[i];
    sum += (counts[i] - expected) * (counts[i] - expected) / expected;
  }
  return sum;
}

}  // namespace fovea::testing
