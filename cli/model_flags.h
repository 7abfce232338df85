#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "fovea/models/box.h"

namespace fovea::cli {

// The models that a command translates with: MODEL and --ensemble.
struct ModelFlags {
  std::vector<std::string> folders() const;
  void declare(CLI::App& app);

  std::string model = kBoxName;
  std::vector<std::string> ensemble;
};

}  // namespace fovea::cli
