#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "fovea/decode/translator.h"
#include "fovea/models/box.h"

namespace fovea::cli {

// The models that a command translates with: MODEL and --ensemble.
struct ModelFlags {
  std::vector<std::string> folders() const;
  void declare(CLI::App& app);
  // Says so if the weights are in 8 bits whatever precision was asked for.
  void warn_of_precision(const Translator& translator) const;

  std::string model = kBoxName;
  std::vector<std::string> ensemble;
};

}  // namespace fovea::cli
