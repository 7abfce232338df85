#include "fovea/explain/render_svg.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "fovea/base/check.h"
#include "fovea/explain/label.h"
#include "fovea/explain/scale.h"
#include "fovea/explain/svg_cells.h"
#include "fovea/explain/svg_layout.h"
#include "fovea/explain/svg_theme.h"
#include "fovea/explain/svg_writer.h"

namespace fovea {
namespace {

constexpr size_t kMostTooltips = 6400;
constexpr std::string_view kQuiet = "class=\"q\"";

void headings(SvgWriter& out, const SvgPanel& panel, double side) {
  double y = 0;
  for (const std::string& line : panel.title) {
    out.words(
        line,
        {.y = y + kTitleFont.size, .size = kTitleFont.size, .bold = true});
    y += kTitleFont.line;
  }
  for (const std::string& line : panel.note) {
    out.words(line, {.y = y + kNoteFont.size, .paint = kQuiet});
    y += kNoteFont.line;
  }
  const Heatmap& map = *panel.map;
  const double across = static_cast<double>(map.columns.size()) * side;
  const double down = static_cast<double>(map.rows.size()) * side;
  out.words(map.column_name, {.x = panel.left + across / 2,
                              .y = y + kNoteFont.size + 2,
                              .paint = kQuiet,
                              .anchor = "middle"});
  out.words(map.row_name, {.x = kNoteFont.size - 2,
                           .y = panel.top + down / 2,
                           .paint = kQuiet,
                           .anchor = "middle",
                           .turn = -90});
}

void row_labels(SvgWriter& out, const SvgPanel& panel, const SvgLayout& lay) {
  for (size_t r = 0; r < panel.rows.size(); r += lay.label_step) {
    const std::string tip = join(label_text(panel.map->rows[r]), ": sum ",
                                 exact_text(row_sum(*panel.map, r)));
    out.raw(join("<g><title>", xml_text(tip), "</title>"));
    out.words(panel.rows[r], {.x = -6,
                              .y = (static_cast<double>(r) + 0.5) * lay.cell +
                                   0.36 * lay.label_font,
                              .size = lay.label_font,
                              .anchor = "end"});
    out.end();
  }
}

void column_labels(SvgWriter& out, const SvgPanel& panel,
                   const SvgLayout& lay) {
  // The letters of an upright label lie left of where it begins.
  const double shift = lay.slant == 90 ? 0.36 * lay.label_font : 0;
  for (size_t c = 0; c < panel.columns.size(); c += lay.label_step) {
    out.words(panel.columns[c],
              {.x = (static_cast<double>(c) + 0.5) * lay.cell + shift,
               .y = -6,
               .size = lay.label_font,
               .anchor = lay.slant == 0 ? "middle" : "start",
               .turn = -lay.slant});
  }
}

void row_sums(SvgWriter& out, const SvgPanel& panel, const SvgLayout& lay) {
  const double x = static_cast<double>(panel.columns.size()) * lay.cell + 8;
  out.words("sum", {.x = x, .y = -6, .size = lay.label_font, .paint = kQuiet});
  for (size_t r = 0; r < panel.rows.size(); r += lay.label_step) {
    out.words(
        exact_text(row_sum(*panel.map, r)),
        {.x = x,
         .y = (static_cast<double>(r) + 0.5) * lay.cell + 0.36 * lay.label_font,
         .size = lay.label_font,
         .paint = kQuiet});
  }
}

void bar(SvgWriter& out, const Scale& scale, double x, double y) {
  constexpr int kSteps = 64;
  constexpr double kStep = kBarWidth / kSteps;
  for (int i = 0; i < kSteps; ++i) {
    const float t = static_cast<float>(i) / (kSteps - 1);
    // Each reaches under the next, so that no seam shows.
    const double width = i + 1 < kSteps ? 2 * kStep : kStep;
    out.path(svg_box(x + i * kStep, y, width, 10),
             join("fill=\"", hex_text(scale.color(scale.value_at(t))), "\""));
  }
}

void legend(SvgWriter& out, std::span<const Heatmap> maps, const Scale& scale,
            double top) {
  const double y = top + 6, base = top + 15;
  double x = kSvgMargin;
  // Writes at x and moves on.
  auto say = [&](std::string_view text, double gap) {
    out.words(text, {.x = x, .y = base});
    x += text_ems(text) * kNoteFont.size + gap;
  };
  say(scale.text(scale.low()), 8);
  bar(out, scale, x, y);
  x += kBarWidth + 8;
  say(scale.text(scale.high()), 22);
  if (std::ranges::any_of(maps, [](auto& m) { return !m.marked.empty(); })) {
    out.path(svg_box(x, y, 10, 10),
             "class=\"h\" fill=\"none\" stroke-width=\"2\"");
    x += 16;
    say("largest of its row", 16);
  }
  if (std::ranges::any_of(maps, has_hidden)) {
    out.path(join("M", svg_number(x), " ", svg_number(y + 10), "l10 -10"),
             "class=\"h\" fill=\"none\"");
    x += 16;
    say("hidden", 0);
  }
}

void draw_panel(SvgWriter& out, const SvgPanel& panel, const SvgLayout& lay,
                const Scale& scale, const SvgCellOptions& options) {
  out.begin_at(panel.x, panel.y);
  headings(out, panel, lay.cell);
  out.begin_at(panel.left, panel.top);
  row_labels(out, panel, lay);
  column_labels(out, panel, lay);
  if (lay.sums > 0) row_sums(out, panel, lay);
  draw_cells(out, *panel.map, scale, lay.cell, options);
  out.end();
  out.end();
}

}  // namespace

std::string render_svg(std::span<const Heatmap> maps,
                       const SvgOptions& options) {
  const Scale scale(maps);
  const SvgLayout lay = lay_out_svg(maps, scale, options);
  size_t cells = 0;
  for (const Heatmap& map : maps) cells += map.values.size();
  SvgWriter out;
  begin_svg(out, {.width = lay.width,
                  .height = lay.height,
                  .theme = options.theme,
                  .name = join("Heat map. ",
                               maps.empty() ? "" : maps.front().title)});
  for (const SvgPanel& panel : lay.panels) {
    draw_panel(
        out, panel, lay, scale,
        {.tooltips = cells <= kMostTooltips, .numbers = options.numbers});
  }
  legend(out, maps, scale, lay.legend);
  double y = lay.legend + kLegendHeight + kNoteFont.size;
  for (const std::string& line : lay.cautions) {
    out.words(line, {.x = kSvgMargin, .y = y, .paint = kQuiet});
    y += kNoteFont.line;
  }
  out.raw("</svg>\n");
  return std::move(out).take();
}

std::string render_svg(const Heatmap& map, const SvgOptions& options) {
  return render_svg(std::span(&map, 1), options);
}

}  // namespace fovea
