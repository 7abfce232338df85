#include "fovea/eval/error_rate.h"

#include <algorithm>

namespace fovea {

EditCounts edit_counts(std::span<const int> output,
                       std::span<const int> reference) {
  // An edit costs a unit and a substitution one less, which is too little to
  // make up for an edit more: the total tells both numbers.
  const auto columns = static_cast<int64_t>(reference.size());
  const auto rows = static_cast<int64_t>(output.size());
  const int64_t unit = rows + columns + 1;
  std::vector<int64_t> row(columns + 1);
  for (int64_t j = 0; j <= columns; ++j) row[j] = j * unit;
  for (const int symbol : output) {
    int64_t diagonal = row[0];
    row[0] += unit;
    for (int64_t j = 1; j <= columns; ++j) {
      const int64_t replace =
          diagonal + (symbol == reference[j - 1] ? 0 : unit - 1);
      diagonal = row[j];
      row[j] = std::min(replace, std::min(row[j], row[j - 1]) + unit);
    }
  }
  const int64_t cost = row[columns];
  const int64_t edits = (cost + unit - 1) / unit;
  const int64_t substitutions = edits * unit - cost;
  const int64_t deletions = (edits - substitutions + columns - rows) / 2;
  return {static_cast<int>(substitutions), static_cast<int>(deletions),
          static_cast<int>(edits - substitutions - deletions)};
}

void ErrorRate::compare(std::span<const int> output,
                        std::span<const int> reference,
                        std::span<double> row) const {
  const EditCounts edits = edit_counts(output, reference);
  row[0] = edits.substitutions;
  row[1] = edits.deletions;
  row[2] = edits.insertions;
  row[3] = static_cast<double>(reference.size());
}

double ErrorRate::score(std::span<const double> sums) const {
  const double edits = sums[0] + sums[1] + sums[2];
  if (sums[3] > 0) return 100 * edits / sums[3];
  return edits > 0 ? 100 : 0;
}

std::vector<Figure> ErrorRate::figures(std::span<const double> sums) const {
  return {
      {"S", {sums[0]}}, {"D", {sums[1]}}, {"I", {sums[2]}}, {"N", {sums[3]}}};
}

}  // namespace fovea
