#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/classify_validation.h"
#include "cli/flags.h"
#include "cli/train_config.h"
#include "cli/train_journal.h"
#include "fovea/data/check.h"
#include "fovea/models/classifier.h"
#include "fovea/models/classifier_config.h"
#include "fovea/train/run_folder.h"

namespace fovea::cli {

// Fills in what suits classification, then what flags and file say of it.
void complete_classifier(TrainConfig& config, const ConfigFlags& flags);

// The model that a complete config asks for.
ClassifierConfig classifier_config(const TrainConfig& config, int words,
                                   int labels);

// One run of `fovea train --task classify`: from labelled lines to a model's
// folder, new or continued. The config is complete.
class ClassifySession {
 public:
  ClassifySession(const TrainConfig& config, RunFolder& folder);

  void run();

 private:
  const TrainConfig& config_;
  RunFolder& folder_;
  CheckReport checked_;
  std::vector<std::string> labels_;
  Tokenizer text_;
  Corpus corpus_;
  std::unique_ptr<Classifier> model_;
  ClassifierValidator validator_;
  TrainJournal journal_;
};

}  // namespace fovea::cli
