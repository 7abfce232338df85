#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "fovea/models/config.h"

namespace fovea {

// A model by the name of its paper, or a small size of one.
struct Preset {
  const char* name;
  const char* help;
  ModelConfig (*make)();
};
std::span<const Preset> all_presets();
// An unknown name is a usage error that tells the nearest.
ModelConfig preset(const std::string& name);

// What suits an amount of data: the name of a preset, and a vocabulary.
struct SizeForData {
  std::string preset;
  int vocabulary;
};
SizeForData size_for_data(int64_t pairs);

}  // namespace fovea
