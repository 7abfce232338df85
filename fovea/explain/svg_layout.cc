#include "fovea/explain/svg_layout.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "fovea/base/check.h"
#include "fovea/explain/label.h"
#include "fovea/explain/svg_cells.h"
#include "fovea/explain/svg_writer.h"

namespace fovea {
namespace {

constexpr double kWidth = 1060, kHeight = 840;  // what maps should fill
constexpr double kLabels = 110;  // about what row labels take of it
constexpr double kLeastCell = 6, kReadableCell = 12, kMostCell = 36;
constexpr int kLongestLabel = 24;  // columns
constexpr double kLeastWidth = 420;
constexpr double kHiddenWidth = 74;
constexpr double kSumsWidth = 56;
constexpr double kGap = 6;       // between labels and cells
constexpr double kBetween = 28;  // between maps
constexpr int kMostPerRow = 4;

double widest(std::span<const std::string> texts) {
  double most = 0;
  for (const std::string& text : texts) most = std::max(most, text_ems(text));
  return most;
}

std::vector<std::string> lines_of(std::string_view text, double width,
                                  SvgFont font) {
  return wrap_words(text, width / font.size, text_ems);
}

std::vector<std::string> shown_labels(std::span<const std::string> labels) {
  std::vector<std::string> shown;
  for (const std::string& label : labels) {
    shown.push_back(shortened(label_text(label), kLongestLabel));
  }
  return shown;
}

struct Extent {
  size_t rows = 1, columns = 1;  // of the largest map
};

Extent largest(std::span<const Heatmap> maps) {
  Extent most;
  for (const Heatmap& map : maps) {
    most.rows = std::max(most.rows, map.rows.size());
    most.columns = std::max(most.columns, map.columns.size());
  }
  return most;
}

int maps_per_row(size_t count, Extent extent, const SvgOptions& options) {
  check(options.per_row >= 0, "heat map: ", options.per_row, " maps in a row");
  if (options.per_row > 0) return options.per_row;
  const double fit =
      kWidth / (kReadableCell * static_cast<double>(extent.columns) + kLabels);
  const int most = std::clamp(static_cast<int>(fit), 1, kMostPerRow);
  return std::clamp(static_cast<int>(count), 1, most);
}

double cell_size(Extent extent, int per_row) {
  const double across =
      (kWidth / per_row - kLabels) / static_cast<double>(extent.columns);
  const double down = kHeight / static_cast<double>(extent.rows);
  return std::floor(std::clamp(std::min(across, down), kLeastCell, kMostCell));
}

void choose_labels(SvgLayout& lay) {
  lay.label_font = std::clamp(0.72 * lay.cell, 9.0, 13.0);
  lay.label_step =
      static_cast<size_t>(std::ceil((lay.label_font + 1) / lay.cell));
  double most = 0;
  for (const SvgPanel& panel : lay.panels) {
    most = std::max(most, widest(panel.columns));
  }
  const bool across =
      most * lay.label_font <= lay.cell - 3 && lay.label_step == 1;
  // Steep where the columns are narrow: slanted lines would touch.
  lay.slant = across ? 0 : lay.cell >= 20 ? 45 : 90;
}

void measure(SvgPanel& panel, const SvgLayout& lay) {
  const Heatmap& map = *panel.map;
  const auto rows = static_cast<double>(map.rows.size());
  const auto columns = static_cast<double>(map.columns.size());
  panel.left = kNoteFont.line + widest(panel.rows) * lay.label_font + kGap;
  const double angle = lay.slant * std::numbers::pi / 180;
  double overhang = 0;
  for (size_t c = 0; c < panel.columns.size(); ++c) {
    const double from_end = (columns - static_cast<double>(c) - 0.5) * lay.cell;
    const double length = text_ems(panel.columns[c]) * lay.label_font;
    overhang = std::max(overhang, std::cos(angle) * length - from_end);
  }
  panel.width = panel.left + columns * lay.cell +
                std::max(lay.slant > 0 ? overhang : 0.0, lay.sums);
  const double wrap = std::max(panel.width, 220.0);
  panel.title = lines_of(map.title, wrap, kTitleFont);
  panel.note = lines_of(map.note, wrap, kNoteFont);
  const double head = std::sin(angle) * widest(panel.columns) * lay.label_font +
                      std::cos(angle) * lay.label_font;
  panel.top = static_cast<double>(panel.title.size()) * kTitleFont.line +
              static_cast<double>(panel.note.size()) * kNoteFont.line +
              kNoteFont.line + kGap + head + kGap;
  panel.height = panel.top + rows * lay.cell;
  panel.width = std::max({panel.width, widest(panel.title) * kTitleFont.size,
                          widest(panel.note) * kNoteFont.size});
}

void place(SvgLayout& lay, size_t per_row) {
  double y = kSvgMargin;
  for (size_t begin = 0; begin < lay.panels.size(); begin += per_row) {
    const size_t end = std::min(lay.panels.size(), begin + per_row);
    double x = kSvgMargin, top = 0, height = 0;
    for (size_t i = begin; i < end; ++i) {
      top = std::max(top, lay.panels[i].top);
    }
    for (size_t i = begin; i < end; ++i) {
      SvgPanel& panel = lay.panels[i];
      // Cells of neighbours begin at the same height.
      panel.height += top - panel.top;
      panel.top = top;
      panel.x = x;
      panel.y = y;
      x += panel.width + kBetween;
      height = std::max(height, panel.height);
    }
    lay.width = std::max(lay.width, x - kBetween + kSvgMargin);
    y += height + kBetween;
  }
  lay.legend = y - 8;
}

void add_cautions(SvgLayout& lay, std::span<const Heatmap> maps) {
  std::vector<std::string> told;
  for (const Heatmap& map : maps) {
    if (std::ranges::find(told, map.caution) != told.end()) continue;
    told.push_back(map.caution);
    for (std::string& line :
         lines_of(map.caution, lay.width - 2 * kSvgMargin, kNoteFont)) {
      lay.cautions.push_back(std::move(line));
    }
  }
}

}  // namespace

SvgLayout lay_out_svg(std::span<const Heatmap> maps, const Scale& scale,
                      const SvgOptions& options) {
  SvgLayout lay;
  lay.sums = options.row_sums ? kSumsWidth : 0;
  // The legend has one word more.
  const bool hidden = std::ranges::any_of(maps, has_hidden);
  lay.width = hidden ? kLeastWidth + kHiddenWidth : kLeastWidth;
  const Extent extent = largest(maps);
  const int per_row = maps_per_row(maps.size(), extent, options);
  lay.cell = cell_size(extent, per_row);
  for (const Heatmap& map : maps) {
    if (!options.numbers) continue;
    lay.cell = std::max(lay.cell, side_for_numbers(map, scale));
  }
  for (const Heatmap& map : maps) {
    SvgPanel panel;
    panel.map = &map;
    panel.rows = shown_labels(map.rows);
    panel.columns = shown_labels(map.columns);
    lay.panels.push_back(std::move(panel));
  }
  choose_labels(lay);
  for (SvgPanel& panel : lay.panels) measure(panel, lay);
  place(lay, static_cast<size_t>(per_row));
  add_cautions(lay, maps);
  lay.height = lay.legend + kLegendHeight +
               static_cast<double>(lay.cautions.size()) * kNoteFont.line +
               kSvgMargin - 4;
  return lay;
}

}  // namespace fovea
