#pragma once

#include <string>

#include "fovea/base/terminal.h"
#include "fovea/explain/heatmap.h"

namespace fovea {

struct TerminalOptions {
  ColorMode color = ColorMode::kPlain;
  int width = 80;         // columns of the screen
  bool numbers = false;   // print each value in its cell
  bool row_sums = false;  // print the sum of each row behind it

  // As suits standard output.
  static TerminalOptions standard_output();
};

// The map as lines of text. Columns that do not fit beside each other follow in
// blocks. Without colours, cells are shades of ASCII, or numbers if they have
// signs. Column labels stand upright unless all are short.
std::string render_terminal(const Heatmap& map,
                            const TerminalOptions& options = {});

}  // namespace fovea
