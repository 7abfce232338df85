#pragma once

#include <span>
#include <string>
#include <vector>

#include "fovea/explain/heatmap.h"
#include "fovea/explain/render_svg.h"
#include "fovea/explain/scale.h"

// Where everything of an SVG picture goes, in pixels.
namespace fovea {

struct SvgFont {
  double size, line;
};
constexpr SvgFont kTitleFont{15, 20}, kNoteFont{12, 16};

struct SvgPanel {
  const Heatmap* map = nullptr;
  std::vector<std::string> title, note;    // lines
  std::vector<std::string> rows, columns;  // labels as they are shown
  double x = 0, y = 0;                     // the upper left corner
  double left = 0, top = 0;                // from there to the cells
  double width = 0, height = 0;            // with all labels
};

struct SvgLayout {
  double cell = 0;        // side of a cell
  double label_font = 0;  // size
  size_t label_step = 1;  // every how many-th label is shown
  double slant = 0;       // degrees by which column labels rise
  double sums = 0;        // width of the row sums, or 0 without them
  std::vector<SvgPanel> panels;
  double legend = 0;  // its upper edge
  std::vector<std::string> cautions;
  double width = 0, height = 0;
};

constexpr double kSvgMargin = 20, kLegendHeight = 30, kBarWidth = 160;

SvgLayout lay_out_svg(std::span<const Heatmap> maps, const Scale& scale,
                      const SvgOptions& options);

}  // namespace fovea
