#pragma once

#include <string>

#include "cli/train_config.h"

namespace fovea::cli {

// What a complete config has chosen: "transformer-tiny, 4+4 layers, width 128,
// 4 heads, feed-forward 256, dropout 0.3".
std::string sizes_text(const TrainConfig& config);

}  // namespace fovea::cli
