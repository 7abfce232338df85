#pragma once

#include <CLI/CLI.hpp>
#include <memory>

namespace fovea::cli {

// How help is written: a flag that can be taken back is --[no-]NAME.
std::shared_ptr<CLI::FormatterBase> help_format();

}  // namespace fovea::cli
