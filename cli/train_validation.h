#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/train_config.h"
#include "fovea/data/corpus.h"
#include "fovea/explain/heatmap.h"
#include "fovea/models/seq2seq.h"
#include "fovea/train/trainer.h"

namespace fovea::cli {

// A validation sentence and what the model makes of it.
struct Sample {
  std::string source, output, reference;
  Heatmap alignment;
};

// Judges a translation model by sentences that it has not seen, translated as
// 'fovea translate' does. Where no reference is long enough for BLEU, chrF
// stands in for it. `source_length` is what it learns from.
class TranslationValidator {
 public:
  TranslationValidator(const Seq2Seq& model, const Tokenizer& source,
                       const Tokenizer& target, int source_length,
                       const TrainConfig& config);

  // Nothing if a signal came before it was done.
  std::optional<Validation> operator()();
  const std::vector<Sample>& samples() const { return samples_; }

 private:
  struct Judged {
    double nll = 0;
    int64_t rows = 0, correct = 0;
  };
  Validation judge();
  Judged force() const;
  std::vector<std::string> translate() const;
  Sample sample(size_t line, const std::string& output) const;

  const Seq2Seq& model_;
  Tokenizer source_, target_;
  const int source_length_;
  const TrainConfig& config_;
  std::vector<Batch> batches_;
  std::vector<std::string> sources_, references_;
  const StopMetric metric_;
  std::vector<Sample> samples_;
};

}  // namespace fovea::cli
