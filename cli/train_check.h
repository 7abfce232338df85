#pragma once

#include "cli/train_config.h"

namespace fovea::cli {

// Throws if a complete config cannot be trained with: a usage error that names
// the flag, or a data error for a file that cannot be read. Reads no text, so
// that it can stand before anything is made or removed.
void check_train_config(const TrainConfig& config);

}  // namespace fovea::cli
