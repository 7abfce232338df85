#pragma once

#include <string>

#include "fovea/explain/explanation.h"
#include "fovea/explain/render_terminal.h"

// The views that are no heat maps, as lines of text.
namespace fovea {

// A thumbnail for each layer and head (SPEC E5): two rows of a map are one of
// the screen. Without colours, shades.
std::string render_model_lines(const Explanation& e,
                               const TerminalOptions& options);

// The source once for each row of the map, on a bright ground where the weight
// is, so that it does not matter which ground the terminal has (SPEC E15).
// Without colours, in brackets from half of the largest weight on.
std::string render_fovea_lines(const Heatmap& map,
                               const TerminalOptions& options);

// A table, a line for each head (SPEC F15).
std::string render_statistics_lines(const Explanation& e,
                                    const TerminalOptions& options);

}  // namespace fovea
