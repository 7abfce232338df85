#pragma once

#include "fovea/eval/metric.h"
#include "fovea/eval/pharaoh.h"

namespace fovea {

// Alignment error rate (Och and Ney 2003) of lines of links (see pharaoh.h),
// over the whole corpus, with precision by possible and recall by sure links.
// All links of the output count alike.
class AlignmentError : public SentenceMetric {
 public:
  struct Result {  // percent
    double error = 0, precision = 0, recall = 0;
  };

  // `first` is the number of a sentence's first word, 0 or 1.
  explicit AlignmentError(int first = 0) : first_(first) {}

  static Result result(std::span<const double> sums);

  std::string name() const override { return "AER"; }
  std::string signature(int references) const override;
  bool higher_is_better() const override { return false; }
  double score(std::span<const double> sums) const override;
  std::vector<Figure> figures(std::span<const double> sums) const override;

 protected:
  // Links that are sure, links that are possible, all links, sure links.
  int width() const override { return 4; }
  void count_part(const Part& part, MetricCounts& counts) const override;

 private:
  int first_;
};

}  // namespace fovea
