#pragma once

#include <string>
#include <vector>

#include "cli/train_config.h"

namespace fovea::cli {

// The files of word links that were named; none with "auto".
std::vector<std::string> given_links(const TrainConfig& config);

// The files of word links that training shall follow, one for each pair of
// texts: those given, or with "auto" those that the statistical aligner finds,
// written into the folder once. None if nobody asks for guidance.
std::vector<std::string> guiding_files(const TrainConfig& config,
                                       const std::string& folder);

}  // namespace fovea::cli
