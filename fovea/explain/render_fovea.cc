#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "fovea/base/check.h"
#include "fovea/explain/label.h"
#include "fovea/explain/render_pictures.h"
#include "fovea/explain/scale.h"
#include "fovea/explain/svg_layout.h"
#include "fovea/explain/svg_picture.h"
#include "fovea/explain/word_order.h"

namespace fovea {
namespace {

constexpr double kSize = 16, kLine = 24, kSpace = 6;
constexpr double kBetween = 8;   // rows
constexpr double kAcross = 760;  // of a line of words
constexpr int kBlurs = 3;
// A renderer takes a tenth of a millisecond for a word, and for a blur half a
// second where there are more than the second.
constexpr size_t kMostWords = 4000, kMostBlurred = 300;

void blurs(SvgWriter& out) {
  out.raw("<defs>");
  for (int i = 1; i <= kBlurs; ++i) {
    out.raw(join("<filter id=\"fovea-blur", i,
                 "\" x=\"-.3\" y=\"-.3\" width=\"1.6\" height=\"1.6\">"
                 "<feGaussianBlur stdDeviation=\"",
                 svg_number(0.6 * i), "\"/></filter>"));
  }
  out.raw("</defs>\n");
}

// A word as it is seen from a row, or what stands for those left out.
struct Piece {
  std::string text = "…";
  bool is_word = false;
  float weight = 0;
  float share = 1;  // of the largest weight of the row

  double width() const { return text_ems(text) * kSize + kSpace; }
};
using Line = std::vector<Piece>;

// The columns that a row shows: so many of the largest weights.
std::vector<size_t> shown_columns(const Heatmap& map, size_t row, size_t most) {
  std::vector<size_t> columns(map.columns.size());
  std::iota(columns.begin(), columns.end(), size_t{0});
  if (columns.size() <= most) return columns;
  std::ranges::stable_sort(columns, [&](size_t a, size_t b) {
    return map.at(row, a) > map.at(row, b);
  });
  columns.resize(most);
  std::ranges::sort(columns);
  return columns;
}

Line pieces_of(const Heatmap& map, size_t row, size_t most) {
  float largest = 0;
  for (size_t c = 0; c < map.columns.size(); ++c) {
    largest = std::max(largest, map.at(row, c));
  }
  Line pieces;
  size_t next = 0;
  for (const size_t c : shown_columns(map, row, most)) {
    if (c != next) pieces.emplace_back();
    const float weight = map.at(row, c);
    pieces.push_back({.text = label_text(map.columns[c]),
                      .is_word = true,
                      .weight = weight,
                      .share = largest > 0 ? weight / largest : 0});
    next = c + 1;
  }
  if (next != map.columns.size()) pieces.emplace_back();
  return pieces;
}

std::vector<Line> wrapped(Line pieces) {
  std::vector<Line> lines(1);
  double x = 0;
  for (Piece& piece : pieces) {
    const double wide = piece.width();
    if (x > 0 && x + wide > kAcross) lines.emplace_back(), x = 0;
    x += wide;
    lines.back().push_back(std::move(piece));
  }
  return lines;
}

double width_of(const Line& line) {
  double all = 0;
  for (const Piece& piece : line) all += piece.width();
  return all;
}

// The lines of each row.
struct Sheet {
  std::vector<std::vector<Line>> rows = {};
  Direction direction = Direction::kLeftToRight;
  double across = 0, down = 0;
  size_t words = 0;
};

Sheet lay_out(const Heatmap& map, size_t most) {
  Sheet sheet{.direction = direction_of(map.columns)};
  for (size_t r = 0; r < map.rows.size(); ++r) {
    sheet.rows.push_back(wrapped(pieces_of(map, r, most)));
    for (const Line& line : sheet.rows.back()) {
      sheet.across = std::max(sheet.across, width_of(line));
      sheet.down += kLine;
      sheet.words += line.size();
    }
    sheet.down += kBetween;
  }
  return sheet;
}

// The words of all rows by how much they are blurred: one filter for each, for
// a renderer takes as long for a word as for the whole picture.
using Levels = std::array<SvgWriter, kBlurs + 1>;

// A word is sharp in proportion to its weight and faint else, and blurred if
// there are few. Its letters are faint, not its group: for a faint group a
// renderer takes a sheet as large as the picture.
void draw(Levels& levels, const Piece& piece, SvgWords at) {
  const std::string paint =
      piece.is_word
          ? join("class=\"t\" fill-opacity=\"",
                 std::round(100 * (0.25 + 0.75 * piece.share)) / 100, "\"")
          : "class=\"q\"";
  at.paint = paint;
  SvgWriter& out = levels[std::lround(kBlurs * (1 - piece.share))];
  out.raw("<g>");
  if (piece.is_word) {
    out.raw(join("<title>", exact_text(piece.weight), "</title>"));
  }
  out.words(piece.text, at);
  out.end();
}

void draw_line(Levels& levels, const Sheet& sheet, const Line& line, double y) {
  std::vector<std::string> words;
  for (const Piece& piece : line) words.push_back(piece.text);
  const bool from_left = sheet.direction == Direction::kLeftToRight;
  double x = 0;  // from the side where lines begin
  for (const size_t i : written_order(words, sheet.direction)) {
    draw(levels, line[i],
         {.x = from_left ? x : sheet.across - x,
          .y = y,
          .size = kSize,
          .anchor = from_left ? "start" : "end"});
    x += line[i].width();
  }
}

void draw_rows(SvgWriter& out, const Heatmap& map, const Sheet& sheet) {
  Levels levels;
  double y = 0.75 * kLine;
  for (size_t r = 0; r < map.rows.size(); ++r) {
    out.words(svg_label(map.rows[r]),
              {.x = -20, .y = y, .size = kLabelFont, .anchor = "end"});
    for (const Line& line : sheet.rows[r]) {
      draw_line(levels, sheet, line, y);
      y += kLine;
    }
    y += kBetween;
  }
  for (int i = 0; i <= kBlurs; ++i) {
    const std::string words = std::move(levels[i]).take();
    if (words.empty()) continue;
    const bool blurred = i > 0 && sheet.words <= kMostBlurred;
    out.raw(blurred ? join("<g filter=\"url(#fovea-blur", i, ")\">") : "<g>");
    out.raw(words);
    out.end();
  }
}

}  // namespace

std::string render_fovea_svg(const Explanation& e, const ViewOptions& options,
                             SvgTheme theme) {
  const Heatmap map = source_map(e, options);
  const size_t most =
      std::max<size_t>(1, kMostWords / std::max<size_t>(1, map.rows.size()));
  const Sheet sheet = lay_out(map, most);
  const double left = kSvgMargin + widest_label(map.rows) + 20;
  std::string note = map.note;
  if (most < map.columns.size()) {
    note += join("; of each row the ", most, " words with the largest weights");
  }
  SvgPicture picture({.title = "Sharp where it looks",
                      .note = note,
                      .caution = map.caution,
                      .width = left + sheet.across + kSvgMargin,
                      .height = sheet.down},
                     theme);
  if (sheet.words <= kMostBlurred) blurs(picture.out);
  picture.out.begin_at(left, SvgPicture::kTop);
  draw_rows(picture.out, map, sheet);
  picture.out.end();
  return std::move(picture).finish();
}

}  // namespace fovea
