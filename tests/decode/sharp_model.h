#pragma once

#include <string>

#include "fovea/models/checkpoint.h"
#include "fovea/models/folder.h"
#include "support/check_layer.h"
#include "support/translator_folder.h"

namespace fovea::testing {

// A small model with large random weights, whose heads look at different words.
inline TranslationModel sharp_model(const std::string& path) {
  write_model_folder(path);
  const ModelConfig config =
      load_translation_model(path, Precision::kFloat32).config.model;
  Seq2Seq model(config, RandomKey(1));
  const Params params(model);
  randomise(params, 5, 2.0f);
  save_parameters(weights_file(path), params);
  return load_translation_model(path, Precision::kFloat32);
}

}  // namespace fovea::testing
