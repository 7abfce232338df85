#include "fovea/explain/render_terminal.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "fovea/base/check.h"
#include "fovea/base/unicode.h"
#include "fovea/explain/label.h"
#include "fovea/explain/scale.h"

namespace fovea {
namespace {

constexpr int kLongestAcross = 12;   // columns of a label written across
constexpr size_t kLongestDown = 16;  // characters of one written downwards
constexpr int kBar = 30;             // columns of the bar of colours
constexpr int kSums = 11;            // columns of the row sums
constexpr char kMark = '<', kHidden = '/';

std::string spaces(int count) {
  return std::string(static_cast<size_t>(std::max(count, 0)), ' ');
}

int widest_grapheme(std::string_view text) {
  int widest = 0;
  for (const std::string_view part : graphemes(text)) {
    widest = std::max(widest, display_width(part));
  }
  return widest;
}

// Text with escape codes only where the style changes.
class Ink {
 public:
  void write(std::string_view text, const std::string& style = "") {
    if (style != style_) {
      if (!style_.empty()) text_ += "\033[0m";
      if (!style.empty()) text_ += join("\033[", style, "m");
      style_ = style;
    }
    text_ += text;
  }
  void end_line() { write(""), text_ += "\n"; }
  std::string take() && { return std::move(text_); }

 private:
  std::string text_, style_;
};

struct Layout {
  std::vector<std::string> rows, columns;  // labels as they are shown
  int label = 0;                           // columns of the row labels
  int cell = 2;                            // columns of a cell
  int number = 0;                          // columns of the widest number
  int sums = 0;                            // kSums, or 0 without them
  bool downwards = false;                  // column labels
  bool numbers = false;
  size_t per_block = 1;
};

class Drawing {
 public:
  Drawing(const Heatmap& map, const TerminalOptions& options)
      : map_(map),
        options_(options),
        scale_({&map, 1}),
        colours_(options.color != ColorMode::kPlain) {
    lay_out();
  }

  std::string draw() {
    paragraph(map_.title, colours_ ? "1" : "");
    paragraph(map_.note);
    paragraph(
        join("Rows: ", map_.row_name, ". Columns: ", map_.column_name, "."));
    const size_t count = map_.columns.size();
    for (size_t begin = 0; begin < count; begin += lay_.per_block) {
      block(begin, std::min(count, begin + lay_.per_block));
    }
    if (map_.values.empty()) {
      paragraph("(an empty map)");
    } else {
      legend();
    }
    paragraph(map_.caution);
    return std::move(ink_).take();
  }

 private:
  void lay_out();
  int widest_number() const;
  void paragraph(std::string_view text, const std::string& style = "");
  void block(size_t begin, size_t end);
  void header(size_t begin, size_t end);
  void header_line(size_t begin, size_t end, size_t line, size_t lines);
  void row(size_t r, size_t begin, size_t end);
  void cell(size_t r, size_t c);
  void legend();
  std::string content(size_t r, size_t c) const;
  std::string ground(float value) const;
  std::string style(float value, bool with_text) const;
  char shade(float value) const;
  bool has_sums(size_t end) const {
    return lay_.sums > 0 && end == map_.columns.size();
  }

  const Heatmap& map_;
  const TerminalOptions& options_;
  const Scale scale_;
  const bool colours_;
  Layout lay_;
  Ink ink_;
};

int Drawing::widest_number() const {
  int widest = 1;
  for (size_t r = 0; r < map_.rows.size(); ++r) {
    for (size_t c = 0; c < map_.columns.size(); ++c) {
      if (!map_.is_shown(r, c)) continue;
      const auto size = scale_.text(map_.at(r, c)).size();
      widest = std::max(widest, static_cast<int>(size));
    }
  }
  return widest;
}

void Drawing::lay_out() {
  const int most = std::max(8, options_.width / 3);
  for (const std::string& row : map_.rows) {
    lay_.rows.push_back(shortened(label_text(row), most));
    lay_.label = std::max(lay_.label, display_width(lay_.rows.back()));
  }
  int longest = 0, widest = 1;
  for (const std::string& column : map_.columns) {
    lay_.columns.push_back(label_text(column));
    longest = std::max(longest, display_width(lay_.columns.back()));
    widest = std::max(widest, widest_grapheme(lay_.columns.back()));
  }
  // Shades have no sign.
  lay_.numbers = options_.numbers || (!colours_ && scale_.is_diverging());
  lay_.number = lay_.numbers ? widest_number() : 0;
  if (lay_.numbers) lay_.cell = lay_.number + (colours_ ? 2 : 1);
  lay_.sums = options_.row_sums ? kSums : 0;
  const int frame = colours_ ? 1 : 3;
  const int room = options_.width - lay_.label - frame - lay_.sums;
  const int across = std::max(lay_.cell, longest + 1);
  const auto count = static_cast<int>(map_.columns.size());
  lay_.downwards = longest >= lay_.cell &&
                   (longest > kLongestAcross || count * across > room);
  lay_.cell = lay_.downwards ? std::max(lay_.cell, widest + 1) : across;
  lay_.per_block = static_cast<size_t>(std::max(1, room / lay_.cell));
}

void Drawing::paragraph(std::string_view text, const std::string& style) {
  for (const std::string& line :
       wrap_words(one_line(text), options_.width, display_width)) {
    ink_.write(line, style);
    ink_.end_line();
  }
}

void Drawing::block(size_t begin, size_t end) {
  ink_.end_line();
  if (end - begin < map_.columns.size()) {
    paragraph(join("Columns ", begin + 1, " to ", end, " of ",
                   map_.columns.size(), ":"));
  }
  header(begin, end);
  for (size_t r = 0; r < map_.rows.size(); ++r) row(r, begin, end);
}

void Drawing::header(size_t begin, size_t end) {
  size_t lines = 1;
  if (lay_.downwards) {
    for (size_t c = begin; c < end; ++c) {
      lines = std::max(lines, graphemes(lay_.columns[c]).size());
    }
    lines = std::min(lines, kLongestDown);
  }
  for (size_t line = 0; line < lines; ++line) {
    header_line(begin, end, line, lines);
  }
}

void Drawing::header_line(size_t begin, size_t end, size_t line, size_t lines) {
  ink_.write(spaces(lay_.label + (colours_ ? 1 : 2)));
  for (size_t c = begin; c < end; ++c) {
    std::string text = lay_.columns[c];
    if (lay_.downwards) {
      auto parts = graphemes(lay_.columns[c]);
      if (parts.size() > lines) {
        parts.resize(lines);
        parts.back() = "…";
      }
      const size_t above = lines - parts.size();
      text = line < above ? "" : std::string(parts[line - above]);
    }
    ink_.write(padded(text, lay_.cell - 1, Align::kCentre) + " ");
  }
  if (!colours_) ink_.write(" ");
  if (has_sums(end)) {
    ink_.write(
        padded(line + 1 == lines ? "sum" : "", lay_.sums, Align::kRight));
  }
  ink_.end_line();
}

void Drawing::row(size_t r, size_t begin, size_t end) {
  ink_.write(padded(lay_.rows[r], lay_.label, Align::kRight) + " ");
  if (!colours_) ink_.write("|");
  for (size_t c = begin; c < end; ++c) cell(r, c);
  if (!colours_) ink_.write("|");
  if (has_sums(end)) {
    ink_.write(padded(exact_text(row_sum(map_, r)), lay_.sums, Align::kRight));
  }
  ink_.end_line();
}

char Drawing::shade(float value) const {
  return shade_of(scale_.position(value));
}

// All but the last column of a cell, which is for the mark.
std::string Drawing::content(size_t r, size_t c) const {
  const int width = lay_.cell - 1;
  if (!map_.is_shown(r, c)) {
    return padded(std::string(1, kHidden), width, Align::kCentre);
  }
  const float value = map_.at(r, c);
  if (lay_.numbers) {
    // Points stand below each other, and the mark beside its number.
    const int right = (width - lay_.number) / 2;
    return padded(scale_.text(value), width - right, Align::kRight) +
           spaces(right);
  }
  return std::string(static_cast<size_t>(width), colours_ ? ' ' : shade(value));
}

std::string Drawing::ground(float value) const {
  if (options_.color == ColorMode::k256) {
    return join("48;5;", scale_.color_256(value));
  }
  const Color c = scale_.color(value);
  return join("48;2;", int{c.red}, ";", int{c.green}, ";", int{c.blue});
}

std::string Drawing::style(float value, bool with_text) const {
  if (!colours_) return "";
  if (!with_text) return ground(value);
  const Color back = options_.color == ColorMode::k256
                         ? color_of_256(scale_.color_256(value))
                         : scale_.color(value);
  // 16 and 231 are black and white, whatever the user's own palette is.
  const bool black = text_color_on(back) == kBlack;
  return join("38;5;", black ? 16 : 231, ";", ground(value));
}

void Drawing::cell(size_t r, size_t c) {
  const bool marked = map_.is_marked(r, c), shown = map_.is_shown(r, c);
  const std::string text = content(r, c) + (marked ? kMark : ' ');
  const bool has_text = marked || lay_.numbers;
  ink_.write(text, shown ? style(map_.at(r, c), has_text) : "");
}

void Drawing::legend() {
  ink_.end_line();
  ink_.write(join(scale_.text(scale_.low()), " "));
  if (colours_) {
    for (int i = 0; i < kBar; ++i) {
      const float t = static_cast<float>(i) / (kBar - 1);
      ink_.write(" ", ground(scale_.value_at(t)));
    }
  } else if (lay_.numbers) {
    ink_.write("to");
  } else {
    ink_.write(join("[", kShades, "]"));
  }
  ink_.write(join(" ", scale_.text(scale_.high())));
  if (!map_.marked.empty()) {
    ink_.write(join("   ", kMark, " largest of its row"));
  }
  if (has_hidden(map_)) {
    ink_.write(join("   ", kHidden, " hidden"));
  }
  ink_.end_line();
}

}  // namespace

TerminalOptions TerminalOptions::standard_output() {
  return {.color = color_mode(),
          .width = stdout_is_terminal() ? terminal_width() : 80};
}

std::string render_terminal(const Heatmap& map,
                            const TerminalOptions& options) {
  check(options.width >= 1, "heat map: ", options.width,
        " columns are too few to draw on");
  return Drawing(map, options).draw();
}

}  // namespace fovea
