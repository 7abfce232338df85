#include "fovea/eval/calibration.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

#include "fovea/base/check.h"
#include "fovea/base/words.h"
#include "fovea/eval/classification.h"

namespace fovea {
namespace {

// Bin k has the probabilities above k/10 up to (k+1)/10, the first one 0, too.
int bin_of(double probability) {
  const double place = std::ceil(probability * CalibrationError::kBins) - 1;
  return std::clamp(static_cast<int>(place), 0, CalibrationError::kBins - 1);
}

void add(std::span<double> row, double probability, bool right) {
  const int at = 3 * bin_of(probability);
  row[at] += 1;
  row[at + 1] += probability;
  row[at + 2] += right;
}

double probability_of(std::string_view line, const std::string& source,
                      int64_t number) {
  const size_t tab = line.find('\t');
  std::string_view cell;
  if (tab != std::string_view::npos) {
    const auto words = split_words(line.substr(tab));
    if (!words.empty()) cell = words.front();
  }
  double value = -1;
  const auto [end, error] =
      std::from_chars(cell.data(), cell.data() + cell.size(), value);
  check_data(error == std::errc() && end == cell.data() + cell.size() &&
                 value >= 0 && value <= 1,
             source, ":", number, ": '", line,
             "' is not 'label<TAB>probability'");
  return value;
}

}  // namespace

void CalibrationError::count_part(const Part& part,
                                  MetricCounts& counts) const {
  check_usage(part.references.size() == 1, "ECE takes one reference, not ",
              part.references.size());
  for (int64_t i = part.begin; i < part.end; ++i) {
    const std::string& line = part.output.lines[i];
    add(counts.row(i), probability_of(line, part.output.source, i + 1),
        label_of(line) == label_of(part.references[0].lines[i]));
  }
}

double CalibrationError::score(std::span<const double> sums) const {
  double lines = 0, error = 0;
  for (int k = 0; k < kBins; ++k) {
    lines += sums[3 * k];
    error += std::abs(sums[3 * k + 1] - sums[3 * k + 2]);
  }
  return lines > 0 ? 100 * error / lines : 0;
}

std::vector<Figure> CalibrationError::figures(
    std::span<const double> sums) const {
  double lines = 0, sure = 0, right = 0;
  for (int k = 0; k < kBins; ++k) {
    lines += sums[3 * k];
    sure += sums[3 * k + 1];
    right += sums[3 * k + 2];
  }
  if (lines == 0) lines = 1;
  return {{"accuracy", {100 * right / lines}, 2},
          {"mean_probability", {100 * sure / lines}, 2},
          {"bins", {kBins}}};
}

std::string CalibrationError::signature(int references) const {
  return join("nrefs:", references, "|bins:", kBins, signature_version());
}

double calibration_error(std::span<const double> probabilities,
                         const std::vector<bool>& right) {
  check(probabilities.size() == right.size(), probabilities.size(),
        " probabilities for ", right.size(), " predictions");
  std::vector<double> sums(3 * CalibrationError::kBins);
  for (size_t i = 0; i < right.size(); ++i) {
    add(sums, probabilities[i], right[i]);
  }
  return CalibrationError().score(sums);
}

}  // namespace fovea
