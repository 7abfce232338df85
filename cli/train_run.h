#pragma once

#include <functional>
#include <optional>
#include <span>

#include "cli/train_config.h"
#include "cli/train_journal.h"
#include "fovea/models/model.h"
#include "fovea/train/run_folder.h"
#include "fovea/train/trainer.h"

namespace fovea::cli {

// What training needs, whatever the task. Refers to all that it is given.
struct TrainRun {
  const TrainConfig& config;
  Model& model;
  const Corpus& corpus;
  RunFolder& folder;
  TrainJournal& journal;
  int choices;  // words or labels that the model chooses among
  std::function<std::optional<Validation>()> validate;
  std::function<std::span<const Sample>()> samples;  // of the last validation
};

// Says how long an epoch will take, trains until the end or a signal, and says
// how it ended.
void run_training(const TrainRun& run);

}  // namespace fovea::cli
