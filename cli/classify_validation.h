#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/train_config.h"
#include "cli/train_validation.h"
#include "fovea/data/corpus.h"
#include "fovea/models/classifier.h"

namespace fovea::cli {

// Judges a classifier by texts that it has not seen.
class ClassifierValidator {
 public:
  ClassifierValidator(const Classifier& model, const Tokenizer& text,
                      const std::vector<std::string>& labels,
                      const TrainConfig& config);

  // Nothing if a signal came before it was done.
  std::optional<Validation> operator()();
  const std::vector<Sample>& samples() const { return samples_; }

 private:
  Sample sample(const std::string& text, const std::string& label) const;

  const Classifier& model_;
  Tokenizer text_;
  std::vector<std::string> labels_;
  const TrainConfig& config_;
  std::vector<Batch> batches_;
  std::vector<Sample> samples_;
};

}  // namespace fovea::cli
