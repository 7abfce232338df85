#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fovea/eval/metric.h"

namespace fovea {

// The label that a line states: what is before its first tab, or the first word
// if that is __label__NAME, as fastText writes it, without that mark.
std::string_view label_of(std::string_view line);

// How often each label was given for each true one.
class Confusion {
 public:
  Confusion(std::span<const std::string> predicted,
            std::span<const std::string> truth);

  struct Scores {  // percent; 0 where nothing was predicted or there is nothing
    double precision = 0, recall = 0, f1 = 0;
    int64_t support = 0;  // how often it is the truth
  };

  const std::vector<std::string>& labels() const { return labels_; }  // sorted
  int64_t count(size_t truth, size_t predicted) const {
    return counts_[truth * labels_.size() + predicted];
  }
  Scores scores(size_t label) const;
  double accuracy() const;
  double macro_f1() const;  // the mean over labels that are true somewhere
  // Over all decisions together; with one label a line, it is the accuracy.
  double micro_f1() const;

 private:
  int64_t total() const;
  int64_t right() const;

  std::vector<std::string> labels_;
  std::vector<int64_t> counts_;  // [labels, labels]
};

// Macro-averaged F1 of labels, one on each line, with micro F1 (the accuracy)
// beside it. A row has three counts for each label of the reference: right,
// predicted, true.
class LabelF1 : public Metric {
 public:
  std::string name() const override { return "F1"; }
  std::string signature(int references) const override;
  MetricCounts count(const MetricText& output,
                     std::span<const MetricText> references) const override;
  double score(std::span<const double> sums) const override;
  std::vector<Figure> figures(std::span<const double> sums) const override;
};

// The probability that an example of the positive class has a higher score than
// one of the negative class; ties count half. Not a number if a class is empty.
double roc_auc(std::span<const double> scores,
               const std::vector<bool>& positive);

}  // namespace fovea
