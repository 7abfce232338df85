#include <algorithm>
#include <array>
#include <cmath>

#include "fovea/base/check.h"
#include "fovea/explain/label.h"
#include "fovea/explain/render_pictures.h"
#include "fovea/explain/scale.h"
#include "fovea/explain/svg_layout.h"
#include "fovea/explain/svg_picture.h"

namespace fovea {
namespace {

constexpr double kSize = 16, kRow = 30, kSpace = 6;
constexpr int kBlurs = 4;

void blurs(SvgWriter& out) {
  out.raw("<defs>");
  for (int i = 1; i <= kBlurs; ++i) {
    out.raw(join("<filter id=\"fovea-blur", i,
                 "\" x=\"-.3\" y=\"-.3\" width=\"1.6\" height=\"1.6\">"
                 "<feGaussianBlur stdDeviation=\"",
                 svg_number(0.5 * i), "\"/></filter>"));
  }
  out.raw("</defs>\n");
}

double width_of(const std::string& word) {
  return text_ems(label_text(word)) * kSize + kSpace;
}

// The words of all rows by how much they are blurred: one filter for each, for
// a renderer takes as long for a word as for the whole picture.
using Levels = std::array<SvgWriter, kBlurs + 1>;

// The source as seen from one row: a word is sharp in proportion to its weight
// and blurred and faint else.
void seen_from(Levels& levels, const Heatmap& map, size_t row, double y) {
  float most = 0;
  for (size_t c = 0; c < map.columns.size(); ++c) {
    most = std::max(most, map.at(row, c));
  }
  double x = 0;
  for (size_t c = 0; c < map.columns.size(); ++c) {
    const float share = most > 0 ? map.at(row, c) / most : 0;
    SvgWriter& out = levels[std::lround(kBlurs * (1 - share))];
    out.raw(join("<g opacity=\"", std::round(100 * (0.25 + 0.75 * share)) / 100,
                 "\"><title>", exact_text(map.at(row, c)), "</title>"));
    out.words(label_text(map.columns[c]), {.x = x, .y = y, .size = kSize});
    out.end();
    x += width_of(map.columns[c]);
  }
}

}  // namespace

std::string render_fovea_svg(const Explanation& e, const ViewOptions& options,
                             SvgTheme theme) {
  const Heatmap map = source_map(e, options);
  const double left = kSvgMargin + widest_label(map.rows) + 20;
  double across = 0;
  for (const std::string& word : map.columns) across += width_of(word);
  SvgPicture picture({.title = "Sharp where it looks",
                      .note = map.note,
                      .caution = map.caution,
                      .width = left + across + kSvgMargin,
                      .height = static_cast<double>(map.rows.size()) * kRow},
                     theme);
  SvgWriter& out = picture.out;
  blurs(out);
  out.begin_at(left, SvgPicture::kTop);
  Levels levels;
  for (size_t r = 0; r < map.rows.size(); ++r) {
    const double y = (static_cast<double>(r) + 0.6) * kRow;
    out.words(svg_label(map.rows[r]),
              {.x = -20, .y = y, .size = kLabelFont, .anchor = "end"});
    seen_from(levels, map, r, y);
  }
  for (int i = 0; i <= kBlurs; ++i) {
    const std::string words = std::move(levels[i]).take();
    if (words.empty()) continue;
    out.raw(i == 0 ? "<g>" : join("<g filter=\"url(#fovea-blur", i, ")\">"));
    out.raw(words);
    out.end();
  }
  out.end();
  return std::move(picture).finish();
}

}  // namespace fovea
