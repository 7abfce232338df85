#pragma once

#include "fovea/eval/metric.h"

namespace fovea {

// What a line is compared by.
struct PairSymbols {
  bool characters = false;  // else words; between words lies one space
  bool lower_case = false;
};

// A metric that compares a line with one reference; of several it takes the
// one with the best score.
class PairMetric : public SentenceMetric {
 public:
  explicit PairMetric(const PairSymbols& symbols) : symbols_(symbols) {}

  std::string signature(int references) const override;

 protected:
  // Alike symbols have alike numbers.
  virtual void compare(std::span<const int> output,
                       std::span<const int> reference,
                       std::span<double> row) const = 0;
  void count_part(const Part& part, MetricCounts& counts) const override;
  bool by_characters() const { return symbols_.characters; }

 private:
  PairSymbols symbols_;
};

}  // namespace fovea
