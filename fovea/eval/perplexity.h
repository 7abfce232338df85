#pragma once

#include "fovea/base/fields.h"
#include "fovea/eval/metric.h"

namespace fovea {

enum class LogBase { kE, k2, k10 };
constexpr EnumName<LogBase> kLogBases[] = {
    {LogBase::kE, "e"}, {LogBase::k2, "2"}, {LogBase::k10, "10"}};
constexpr auto& enum_names(LogBase) { return kLogBases; }

// exp(-sum of natural log-probabilities / their number).
double perplexity(std::span<const double> log_probabilities);

// Perplexity from lines that list the log-probability of each token, between
// white space. What a token is, and whether the end of a sentence is one, is
// for who wrote the lines. Lower is better.
class Perplexity : public Metric {
 public:
  explicit Perplexity(LogBase base = LogBase::kE) : base_(base) {}

  std::string name() const override { return "perplexity"; }
  std::string signature(int references) const override;
  bool higher_is_better() const override { return false; }
  bool takes_references() const override { return false; }
  MetricCounts count(const MetricText& output,
                     std::span<const MetricText> references) const override;
  double score(std::span<const double> sums) const override;
  std::vector<Figure> figures(std::span<const double> sums) const override;

 private:
  LogBase base_;
};

}  // namespace fovea
