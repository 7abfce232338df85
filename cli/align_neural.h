#pragma once

#include <span>
#include <vector>

#include "cli/align_config.h"

namespace fovea::cli {

// Flags for models that make no sense, or that need others.
void check_model_flags(const AlignConfig& config);

// Links by the attention of the models that the config names.
std::vector<WordLinks> neural_links(const AlignConfig& config,
                                    std::span<const ScoreRequest> pairs);

}  // namespace fovea::cli
