#include "fovea/explain/line_chart.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "fovea/base/check.h"
#include "fovea/explain/axis.h"
#include "fovea/explain/label.h"
#include "fovea/explain/svg_writer.h"

namespace fovea {
namespace {

constexpr double kWidth = 560, kHeight = 320;
constexpr double kLeft = 58, kRight = 16, kTop = 40, kBottom = 46;
constexpr double kInnerWidth = kWidth - kLeft - kRight;
constexpr double kInnerHeight = kHeight - kTop - kBottom;
constexpr double kFont = 11.5, kLegendLine = 17;
constexpr int kStrips = 120;  // places that the pointer can tell apart
constexpr size_t kColors = 6;
constexpr std::string_view kQuiet = "class=\"q\"";

struct Palette {
  const char* line;  // of the grid
  const char *text, *quiet;
  const char* colors[kColors];
};
// Told apart by colour-blind eyes (after Okabe and Ito 2008).
constexpr Palette kLight{
    "#e3e7eb",
    "#1f2933",
    "#5c6873",
    {"#0072b2", "#d55e00", "#008a64", "#a8549e", "#8a6d00", "#3b4754"}};
constexpr Palette kDark{
    "#2b333c",
    "#e6e9ed",
    "#9aa5b1",
    {"#56b4e9", "#ff8f45", "#2ec49a", "#e39ad9", "#e0c040", "#b8c2cc"}};

std::string rules(const Palette& palette) {
  std::string css =
      join(".chart .t{fill:", palette.text, "}.chart .q{fill:", palette.quiet,
           "}.chart .r{stroke:", palette.line,
           ";fill:none}.chart .m{stroke:", palette.quiet,
           ";stroke-dasharray:3 3;fill:none}");
  for (size_t i = 0; i < kColors; ++i) {
    css += join(".chart .l", i, "{stroke:", palette.colors[i],
                ";fill:none}.chart .d", i, "{fill:", palette.colors[i], "}");
  }
  return css;
}

// Colours come again, dashed.
const char* dashes(size_t series) {
  return series < kColors ? "" : " stroke-dasharray=\"5 3\"";
}

bool is_drawn(const Chart& chart, double y) {
  return std::isfinite(y) && (!chart.log_y || y > 0);
}

// What is drawn spans these; nothing if nothing is.
struct Bounds {
  Axis::Range x, y;
};
std::optional<Bounds> bounds_of(const Chart& chart) {
  constexpr double most = std::numeric_limits<double>::max();
  Bounds b{{most, -most, false, false}, {most, -most, chart.log_y, true}};
  for (const Series& series : chart.series) {
    check(series.x.size() == series.y.size(), "chart '", chart.title,
          "': ", series.x.size(), " x but ", series.y.size(), " y");
    for (size_t i = 0; i < series.x.size(); ++i) {
      if (!is_drawn(chart, series.y[i])) continue;
      b.x.low = std::min(b.x.low, series.x[i]);
      b.x.high = std::max(b.x.high, series.x[i]);
      b.y.low = std::min(b.y.low, series.y[i]);
      b.y.high = std::max(b.y.high, series.y[i]);
    }
  }
  if (b.x.low > b.x.high) return {};
  // Steps are best seen from the first on.
  if (b.x.low > 0 && b.x.low < 0.1 * b.x.high) b.x.low = 0;
  return b;
}

class ChartWriter {
 public:
  ChartWriter(const Chart& chart, const Bounds& bounds)
      : chart_(chart), x_(bounds.x, 6), y_(bounds.y, 5) {}

  void draw(SvgWriter& out) const {
    draw_axes(out);
    draw_marks(out);
    for (size_t i = 0; i < chart_.series.size(); ++i) draw_line(out, i);
    draw_strips(out);
  }

 private:
  double across(double x) const { return kLeft + x_.place(x) * kInnerWidth; }
  double down(double y) const {
    return kTop + (1 - y_.place(y)) * kInnerHeight;
  }

  void draw_axes(SvgWriter& out) const {
    const double base = kTop + kInnerHeight;
    for (const Axis::Tick& tick : y_.ticks()) {
      const double y = down(tick.value);
      out.path(join("M", svg_number(kLeft), " ", svg_number(y), "h",
                    svg_number(kInnerWidth)),
               "class=\"r\"");
      out.words(tick.label, {.x = kLeft - 8,
                             .y = y + 0.35 * kFont,
                             .size = kFont,
                             .paint = kQuiet,
                             .anchor = "end"});
    }
    for (const Axis::Tick& tick : x_.ticks()) {
      const double x = across(tick.value);
      out.path(join("M", svg_number(x), " ", svg_number(base), "v5"),
               "class=\"r\"");
      out.words(tick.label, {.x = x,
                             .y = base + 8 + kFont,
                             .size = kFont,
                             .paint = kQuiet,
                             .anchor = "middle"});
    }
    out.words(chart_.x_name, {.x = kLeft + kInnerWidth / 2,
                              .y = kHeight - 8,
                              .size = kFont,
                              .paint = kQuiet,
                              .anchor = "middle"});
    out.words(chart_.y_name, {.x = 13,
                              .y = kTop + kInnerHeight / 2,
                              .size = kFont,
                              .paint = kQuiet,
                              .anchor = "middle",
                              .turn = -90});
  }

  void draw_marks(SvgWriter& out) const {
    for (const Mark& mark : chart_.marks) {
      const double place = x_.place(mark.x);
      if (!(place >= 0 && place <= 1)) continue;
      const double x = across(mark.x);
      out.path(join("M", svg_number(x), " ", svg_number(kTop), "v",
                    svg_number(kInnerHeight)),
               "class=\"m\"");
      out.words(shortened(mark.name, 24),
                {.x = x + (place > 0.7 ? -4.0 : 4.0),
                 .y = kTop + kFont,
                 .size = kFont,
                 .paint = kQuiet,
                 .anchor = place > 0.7 ? "end" : "start"});
    }
  }

  // Points that share a column of pixels become its first, lowest, highest and
  // last.
  void draw_line(SvgWriter& out, size_t index) const {
    const Series& series = chart_.series[index];
    std::string path, dots;
    bool pen_down = false;
    for (size_t i = 0; i < series.x.size();) {
      if (!is_drawn(chart_, series.y[i])) {
        pen_down = false;
        ++i;
        continue;
      }
      const size_t end = column_end(series, i);
      const bool alone =
          !pen_down && end == i + 1 &&
          (end == series.x.size() || !is_drawn(chart_, series.y[end]));
      if (alone) {
        dots += svg_box(across(series.x[i]) - 2, down(series.y[i]) - 2, 4, 4);
      }
      for (size_t j : kept(series, i, end)) {
        path += join(pen_down ? "L" : "M", svg_number(across(series.x[j])), " ",
                     svg_number(down(series.y[j])));
        pen_down = true;
      }
      i = end;
    }
    const size_t color = index % kColors;
    out.path(path, join("class=\"l", color, "\" stroke-width=\"1.7\" ",
                        "stroke-linejoin=\"round\"", dashes(index)));
    out.path(dots, join("class=\"d", color, "\""));
  }

  size_t column_end(const Series& series, size_t begin) const {
    const double column = std::floor(across(series.x[begin]));
    size_t end = begin + 1;
    while (end < series.x.size() && is_drawn(chart_, series.y[end]) &&
           std::floor(across(series.x[end])) == column) {
      ++end;
    }
    return end;
  }

  static std::vector<size_t> kept(const Series& series, size_t begin,
                                  size_t end) {
    const auto y = series.y.begin();
    const auto [low, high] = std::minmax_element(y + begin, y + end);
    std::vector<size_t> points{begin, static_cast<size_t>(low - y),
                               static_cast<size_t>(high - y), end - 1};
    std::sort(points.begin(), points.end());
    points.erase(std::unique(points.begin(), points.end()), points.end());
    return points;
  }

  void draw_strips(SvgWriter& out) const {
    constexpr double width = kInnerWidth / kStrips;
    for (int i = 0; i < kStrips; ++i) {
      const double low = x_.value_at(static_cast<double>(i) / kStrips);
      const double high = x_.value_at((i + 1.0) / kStrips);
      std::string tip, dots;
      std::optional<double> at;
      for (size_t s = 0; s < chart_.series.size(); ++s) {
        const Series& series = chart_.series[s];
        const auto point = last_in(series, low, high, i + 1 == kStrips);
        if (!point) continue;
        if (!at) at = series.x[*point];
        tip += join("\n", xml_text(series.name), ": ",
                    number_text(series.y[*point]));
        if (series.x[*point] != *at) {
          tip += join(" (at ", number_text(series.x[*point]), ")");
        }
        dots += join("<circle class=\"d", s % kColors, "\" r=\"3\" cx=\"",
                     svg_number(across(series.x[*point])), "\" cy=\"",
                     svg_number(down(series.y[*point])), "\"/>");
      }
      if (!at) continue;
      const std::string place =
          join(svg_number(across(*at)), " ", svg_number(kTop));
      out.raw(join("<g class=\"s\"><title>", xml_text(chart_.x_name), " ",
                   number_text(*at), tip, "</title><path class=\"hit\" d=\"",
                   svg_box(kLeft + i * width, kTop, width, kInnerHeight),
                   "\"/><g class=\"on\"><path class=\"m\" d=\"M", place, "v",
                   svg_number(kInnerHeight), "\"/>", dots, "</g></g>\n"));
    }
  }

  // The last point with low <= x < high, or <= high in the last strip.
  std::optional<size_t> last_in(const Series& series, double low, double high,
                                bool closed) const {
    const auto begin = series.x.begin();
    auto end =
        closed ? series.x.end() : std::lower_bound(begin, series.x.end(), high);
    while (end != begin && *(end - 1) >= low) {
      --end;
      const auto i = static_cast<size_t>(end - begin);
      if (is_drawn(chart_, series.y[i])) return i;
    }
    return {};
  }

  const Chart& chart_;
  Axis x_, y_;
};

// Names with their lines, in rows; how much room the rows after the first take.
// The title tells what a single series is.
double draw_legend(SvgWriter& out, const Chart& chart) {
  if (chart.series.size() < 2) return 0;
  double x = kLeft, y = kTop - 18;
  for (size_t i = 0; i < chart.series.size(); ++i) {
    const std::string name = shortened(label_text(chart.series[i].name), 32);
    const double width = 21 + text_ems(name) * kFont + 14;
    if (x > kLeft && x + width > kWidth) {
      x = kLeft;
      y += kLegendLine;
    }
    out.path(
        join("M", svg_number(x), " ", svg_number(y), "h16"),
        join("class=\"l", i % kColors, "\" stroke-width=\"2.5\"", dashes(i)));
    out.words(name, {.x = x + 21, .y = y + 4, .size = kFont});
    x += width;
  }
  return y - (kTop - 18);
}

}  // namespace

std::string render_chart(const Chart& chart) {
  SvgWriter body;
  const double more = draw_legend(body, chart);
  body.begin_at(0, more);
  if (const std::optional<Bounds> bounds = bounds_of(chart)) {
    ChartWriter(chart, *bounds).draw(body);
  } else {
    body.words("nothing to show yet", {.x = kWidth / 2,
                                       .y = kHeight / 2,
                                       .paint = kQuiet,
                                       .anchor = "middle"});
  }
  body.end();
  return join(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" "
      "viewBox=\"0 0 ",
      kWidth, " ", kHeight + more, "\" role=\"img\" aria-label=\"",
      xml_text(join("Chart. ", chart.title)), "\">\n", std::move(body).take(),
      "</svg>\n");
}

std::string chart_style() {
  return join(".chart{width:100%;height:auto;display:block}",
              ".chart .hit{fill:transparent}.chart .on{visibility:hidden;",
              "pointer-events:none}.chart .s:hover .on{visibility:visible}",
              rules(kLight), "@media (prefers-color-scheme:dark){",
              rules(kDark), "}");
}

}  // namespace fovea
