#pragma once

#include "fovea/eval/metric.h"

namespace fovea {

struct ChrfOptions {
  int char_order = 6;
  int word_order = 0;  // 2 makes it chrF++
  int beta = 2;        // recall counts beta squared times as much as precision
  bool lower_case = false;
  // A mean of each order's F score, as the first programs had it, instead of
  // the F score of mean precision and recall.
  bool eps_smoothing = false;
};

// chrF and chrF++ (Popovic 2015, 2017) as sacreBLEU computes them: n-grams of
// characters without white space, and of words. With several references each
// sentence takes the one that suits it best.
class Chrf : public SentenceMetric {
 public:
  explicit Chrf(const ChrfOptions& options = {});

  std::string name() const override;  // "chrF2", "chrF2++"
  std::string signature(int references) const override;
  double score(std::span<const double> sums) const override;
  std::vector<Figure> figures(std::span<const double> sums) const override;

 protected:
  // For each order: n-grams of the output, of the reference, of both.
  int width() const override {
    return 3 * (options_.char_order + options_.word_order);
  }
  void count_part(const Part& part, MetricCounts& counts) const override;

 private:
  ChrfOptions options_;
};

}  // namespace fovea
