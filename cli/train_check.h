#pragma once

#include "cli/train_config.h"

namespace fovea::cli {

// Throws if a complete config cannot be trained with: a usage error that names
// the flag, or a data error for a file that cannot be read. Reads no text, so
// that it can stand before anything is made or removed.
void check_train_config(const TrainConfig& config);

// Throws if flags chose a part of attention for a model that has no use for
// it; `why` ends the message.
void check_attend_unchanged(ComposedConfig before, ComposedConfig after,
                            const std::string& why);

}  // namespace fovea::cli
