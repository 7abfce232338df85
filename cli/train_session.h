#pragma once

#include <memory>
#include <string>

#include "cli/train_config.h"
#include "cli/train_journal.h"
#include "cli/train_validation.h"
#include "fovea/data/check.h"
#include "fovea/models/seq2seq.h"
#include "fovea/train/run_folder.h"
#include "fovea/train/trainer.h"

namespace fovea::cli {

// One run of `fovea train` for translation: from text to a model's folder, new
// or continued. The config is complete.
class TrainSession {
 public:
  TrainSession(const TrainConfig& config, RunFolder& folder);

  void run();

 private:
  const TrainConfig& config_;
  RunFolder& folder_;
  CheckReport checked_;
  Tokenizer source_, target_;
  Corpus corpus_;
  std::unique_ptr<Seq2Seq> model_;
  TranslationValidator validator_;
  TrainJournal journal_;
};

}  // namespace fovea::cli
