#include "fovea/explain/svg_cells.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "fovea/base/check.h"
#include "fovea/explain/color.h"
#include "fovea/explain/label.h"

namespace fovea {
namespace {

constexpr int kSteps = 64;  // colours of a map without tooltips
constexpr double kNumberFont = 10;

struct Grid {
  double side;
  // Small cells touch: lines between them would be all one sees.
  double gap() const { return side >= 18 ? 1 : 0; }
  double at(size_t index) const { return static_cast<double>(index) * side; }
  double middle(size_t index) const { return at(index) + 0.5 * side; }
  std::string box(size_t row, size_t column, size_t count = 1) const {
    return svg_box(at(column), at(row), at(count) - gap(), side - gap());
  }
};

void cells_with_tooltips(SvgWriter& out, const Heatmap& map, const Scale& scale,
                         Grid grid) {
  std::vector<std::string> columns;
  for (const std::string& label : map.columns) {
    columns.push_back(xml_text(join(map.column_name, ": ", label_text(label))));
  }
  for (size_t r = 0; r < map.rows.size(); ++r) {
    const std::string row =
        xml_text(join(map.row_name, ": ", label_text(map.rows[r])));
    for (size_t c = 0; c < map.columns.size(); ++c) {
      const bool shown = map.is_shown(r, c);
      out.raw(join(
          "<path fill=\"",
          shown ? hex_text(scale.color(map.at(r, c))) : "transparent",
          "\" d=\"", grid.box(r, c), "\"><title>", row, "\n", columns[c], "\n",
          shown ? exact_text(map.at(r, c)) : "hidden", "</title></path>\n"));
    }
  }
}

// -1 if hidden.
int color_step(const Heatmap& map, const Scale& scale, size_t r, size_t c) {
  if (!map.is_shown(r, c)) return -1;
  const float t = scale.position(map.at(r, c));
  const float unit = scale.is_diverging() ? 0.5f + 0.5f * t : t;
  return static_cast<int>(unit * (kSteps - 1) + 0.5f);
}

// One path for each colour, neighbours in one piece.
void cells_by_color(SvgWriter& out, const Heatmap& map, const Scale& scale,
                    Grid grid) {
  std::array<std::string, kSteps> paths;
  const size_t columns = map.columns.size();
  for (size_t r = 0; r < map.rows.size(); ++r) {
    for (size_t c = 0, end; c < columns; c = end) {
      const int step = color_step(map, scale, r, c);
      end = c + 1;
      while (end < columns && color_step(map, scale, r, end) == step) ++end;
      if (step >= 0) paths[step] += grid.box(r, c, end - c);
    }
  }
  for (int step = 0; step < kSteps; ++step) {
    const float t = static_cast<float>(step) / (kSteps - 1);
    out.path(paths[step],
             join("fill=\"", hex_text(scale.color(scale.value_at(t))), "\""));
  }
}

void hatches(SvgWriter& out, const Heatmap& map, Grid grid) {
  const double inset = 0.3 * grid.side;
  const std::string line = svg_number(grid.side - 2 * inset);
  std::string path;
  for (size_t r = 0; r < map.rows.size(); ++r) {
    for (size_t c = 0; c < map.columns.size(); ++c) {
      if (map.is_shown(r, c)) continue;
      path += join("M", svg_number(grid.at(c) + inset), " ",
                   svg_number(grid.at(r + 1) - inset), "l", line, " -", line);
    }
  }
  out.path(path, "class=\"h\" pointer-events=\"none\" fill=\"none\"");
}

void marks(SvgWriter& out, const Heatmap& map, const Scale& scale, Grid grid) {
  const double wide = grid.side >= 20 ? 2 : 1;
  const double inner = grid.side - grid.gap() - 2 * wide;
  std::string black, white;
  for (size_t r = 0; r < map.marked.size(); ++r) {
    if (map.marked[r] < 0) continue;
    const auto c = static_cast<size_t>(map.marked[r]);
    const bool bright = map.is_shown(r, c) &&
                        text_color_on(scale.color(map.at(r, c))) == kBlack;
    (bright ? black : white) +=
        svg_box(grid.at(c) + wide, grid.at(r) + wide, inner, inner);
  }
  const std::string shape =
      join("fill=\"none\" pointer-events=\"none\" stroke-width=\"",
           svg_number(wide), "\" stroke=");
  out.path(black, shape + "\"#000\"");
  out.path(white, shape + "\"#fff\"");
}

void numbers(SvgWriter& out, const Heatmap& map, const Scale& scale,
             Grid grid) {
  out.raw("<g pointer-events=\"none\">\n");
  for (size_t r = 0; r < map.rows.size(); ++r) {
    for (size_t c = 0; c < map.columns.size(); ++c) {
      if (!map.is_shown(r, c)) continue;
      const Color ink = text_color_on(scale.color(map.at(r, c)));
      const std::string paint = join("fill=\"", hex_text(ink), "\"");
      out.words(scale.text(map.at(r, c)),
                {.x = grid.middle(c),
                 .y = grid.middle(r) + 0.36 * kNumberFont,
                 .size = kNumberFont,
                 .paint = paint,
                 .anchor = "middle"});
    }
  }
  out.end();
}

}  // namespace

double side_for_numbers(const Heatmap& map, const Scale& scale) {
  double most = 0;
  for (size_t i = 0; i < map.values.size(); ++i) {
    if (!map.shown.empty() && !map.shown[i]) continue;
    most = std::max(most, text_ems(scale.text(map.values[i])));
  }
  return std::max(18.0, std::ceil(most * kNumberFont + 6));
}

void draw_cells(SvgWriter& out, const Heatmap& map, const Scale& scale,
                double side, const SvgCellOptions& options) {
  const Grid grid{side};
  out.raw("<g shape-rendering=\"crispEdges\">\n");
  if (options.tooltips) {
    cells_with_tooltips(out, map, scale, grid);
  } else {
    cells_by_color(out, map, scale, grid);
  }
  out.end();
  hatches(out, map, grid);
  marks(out, map, scale, grid);
  if (options.numbers) numbers(out, map, scale, grid);
}

}  // namespace fovea
