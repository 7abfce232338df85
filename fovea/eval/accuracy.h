#pragma once

#include "fovea/eval/pair_metric.h"

namespace fovea {

enum class AccuracyOf {
  kTokens,  // right at their place, by the reference's: for tags and for
            // outputs with teacher forcing, where places correspond
  kLines,   // with all words of the reference and no others: exact match
};

class Accuracy : public PairMetric {
 public:
  explicit Accuracy(AccuracyOf of, bool lower_case = false)
      : PairMetric({.lower_case = lower_case}), of_(of) {}

  std::string name() const override;
  double score(std::span<const double> sums) const override;
  std::vector<Figure> figures(std::span<const double> sums) const override;

 protected:
  int width() const override { return 2; }  // right, all
  void compare(std::span<const int> output, std::span<const int> reference,
               std::span<double> row) const override;

 private:
  AccuracyOf of_;
};

}  // namespace fovea
