#pragma once

#include <span>
#include <string>

#include "fovea/models/classifier_config.h"

namespace fovea {

// A classifier by name.
struct ClassifierPreset {
  const char* name;
  const char* help;
  ClassifierConfig (*make)();
};
std::span<const ClassifierPreset> all_classifier_presets();
// An unknown name is a usage error that tells the nearest.
ClassifierConfig classifier_preset(const std::string& name);

// What suits a text of which nothing is known.
constexpr const char* kDefaultClassifier = "classify-cnn";

}  // namespace fovea
