#pragma once

#include "fovea/eval/metric.h"

namespace fovea {

// Expected calibration error (Naeini et al. 2015): how far the probabilities of
// predicted labels are from how often they are right, in ten bins of equal
// width, in percent. The output's lines are "label<TAB>probability"; what
// follows, such as further labels, is left out.
class CalibrationError : public SentenceMetric {
 public:
  static constexpr int kBins = 10;

  std::string name() const override { return "ECE"; }
  std::string signature(int references) const override;
  bool higher_is_better() const override { return false; }
  double score(std::span<const double> sums) const override;
  std::vector<Figure> figures(std::span<const double> sums) const override;

 protected:
  // Three for each bin: lines, their probabilities, how many are right.
  int width() const override { return 3 * kBins; }
  void count_part(const Part& part, MetricCounts& counts) const override;
};

// Of probabilities and whether each prediction was right.
double calibration_error(std::span<const double> probabilities,
                         const std::vector<bool>& right);

}  // namespace fovea
