#pragma once

#include "cli/train_config.h"
#include "fovea/train/run_folder.h"

namespace fovea::cli {

// Makes sure that a run goes on only as it began: with the same options and the
// same text, or a usage error names what has changed. A run that came to no
// checkpoint may begin anew with others; then nothing that it made of its text
// is used.
void check_same_run(TrainConfig& config, RunFolder& folder);

}  // namespace fovea::cli
