#include "fovea/eval/accuracy.h"

#include <algorithm>

namespace fovea {

std::string Accuracy::name() const {
  return of_ == AccuracyOf::kTokens ? "accuracy" : "exact";
}

void Accuracy::compare(std::span<const int> output,
                       std::span<const int> reference,
                       std::span<double> row) const {
  if (of_ == AccuracyOf::kLines) {
    row[0] = std::equal(output.begin(), output.end(), reference.begin(),
                        reference.end());
    row[1] = 1;
    return;
  }
  const size_t both = std::min(output.size(), reference.size());
  row[0] = 0;
  for (size_t i = 0; i < both; ++i) row[0] += output[i] == reference[i];
  row[1] = static_cast<double>(reference.size());
}

double Accuracy::score(std::span<const double> sums) const {
  return sums[1] > 0 ? 100 * sums[0] / sums[1] : 0;
}

std::vector<Figure> Accuracy::figures(std::span<const double> sums) const {
  return {{"right", {sums[0]}},
          {of_ == AccuracyOf::kTokens ? "tokens" : "lines", {sums[1]}}};
}

}  // namespace fovea
