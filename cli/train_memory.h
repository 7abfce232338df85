#pragma once

#include "cli/train_config.h"

namespace fovea::cli {

// Makes batches, and what is shuffled at a time, so small that training keeps
// to --memory. The config is complete but for that.
void limit_memory(TrainConfig& config);

}  // namespace fovea::cli
