#pragma once

#include "fovea/eval/metric.h"
#include "fovea/eval/ter_tokens.h"

namespace fovea {

// Translation edit rate (Snover et al. 2006) as sacreBLEU computes it: edits of
// the nearest reference by the mean length of all, in percent. Lower is better.
class Ter : public SentenceMetric {
 public:
  explicit Ter(const TerOptions& options = {}) : options_(options) {}

  std::string name() const override { return "TER"; }
  std::string signature(int references) const override;
  bool higher_is_better() const override { return false; }
  double score(std::span<const double> sums) const override;
  std::vector<Figure> figures(std::span<const double> sums) const override;

 protected:
  int width() const override { return 2; }  // edits, length
  void count_part(const Part& part, MetricCounts& counts) const override;

 private:
  TerOptions options_;
};

}  // namespace fovea
