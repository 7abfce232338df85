#pragma once

#include "fovea/explain/scale.h"
#include "fovea/explain/svg_writer.h"

namespace fovea {

struct SvgCellOptions {
  bool tooltips = true;  // without: few colours, and cells joined
  bool numbers = false;
};

// The least side of a cell that holds the widest number of the map.
double side_for_numbers(const Heatmap& map, const Scale& scale);

// The cells of a map with what lies upon them, the first one at 0, 0. `side` is
// that of a cell.
void draw_cells(SvgWriter& out, const Heatmap& map, const Scale& scale,
                double side, const SvgCellOptions& options);

}  // namespace fovea
