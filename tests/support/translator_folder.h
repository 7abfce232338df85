#pragma once

#include <string>

#include "fovea/data/tokenizer.h"

namespace fovea::testing {

// A small model with random weights, which says something else for every
// source, and ends now and then.
struct ModelFolderConfig {
  TextUnit unit = TextUnit::kUnigram;
  std::string kind = "transformer";  // of tiny_models()
  uint64_t seed = 5;                 // of the weights
  bool byte_fallback = true;
  int learned_positions = 0;  // 0: none, as the kind has them
};

// Writes the folder of one, and gives its path back.
std::string write_model_folder(const std::string& path,
                               const ModelFolderConfig& config = {});

}  // namespace fovea::testing
