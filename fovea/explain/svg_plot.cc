#include "fovea/explain/svg_plot.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "fovea/base/check.h"
#include "fovea/explain/label.h"
#include "fovea/explain/svg_layout.h"

namespace fovea {
namespace {

constexpr double kWidth = 480, kHeight = 340;
constexpr double kLeft = 60, kRight = kWidth - 20;
constexpr double kTop = 96, kBottom = kHeight - 44;
constexpr double kLegend = 82;  // its base line
constexpr int kTicks = 5;

// Okabe and Ito's.
constexpr std::array<const char*, 7> kColors = {"#0072b2", "#d55e00", "#009e73",
                                                "#cc79a7", "#e69f00", "#56b4e9",
                                                "#8c8c00"};

// Between two values where the place lies between them.
double percentile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(place);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  const double t = place - static_cast<double>(below);
  return (1 - t) * sorted[below] + t * sorted[above];
}

std::string fill(int color, double opacity) {
  return join("fill=\"", plot_color(color), "\" fill-opacity=\"", opacity,
              "\"");
}

std::string stroke(int color) {
  return join("fill=\"none\" stroke=\"", plot_color(color),
              "\" stroke-width=\"1.5\"");
}

std::string move(double x, double y) {
  return join("M", svg_number(x), " ", svg_number(y));
}

std::string straight(double x1, double y1, double x2, double y2) {
  return join(move(x1, y1), "L", svg_number(x2), " ", svg_number(y2));
}

}  // namespace

const char* plot_color(int number) {
  return kColors[static_cast<size_t>(number) % kColors.size()];
}

SvgPlot::SvgPlot(const Frame& frame)
    : x_(frame.x, kTicks), y_(frame.y, kTicks), legend_(kLeft) {
  begin_svg(out_, {.width = kWidth,
                   .height = kHeight,
                   .theme = frame.theme,
                   .name = frame.title});
  out_.words(frame.title, {.x = kSvgMargin,
                           .y = kSvgMargin + 8,
                           .size = kTitleFont.size,
                           .bold = true});
  double y = kSvgMargin + 8 + kNoteFont.line;
  for (const std::string& line : wrap_words(
           frame.note, (kRight - kSvgMargin) / kNoteFont.size, text_ems)) {
    out_.words(line, {.x = kSvgMargin, .y = y, .paint = "class=\"q\""});
    y += kNoteFont.line;
  }
  axes(frame);
}

double SvgPlot::x_at(double value) const {
  return kLeft + x_.place(value) * (kRight - kLeft);
}

double SvgPlot::y_at(double value) const {
  return kBottom - y_.place(value) * (kBottom - kTop);
}

void SvgPlot::axes(const Frame& frame) {
  constexpr const char* kThin = "class=\"h\" fill=\"none\" stroke-width=\".5\"";
  for (const Axis::Tick& tick : y_.ticks()) {
    const double y = y_at(tick.value);
    out_.path(straight(kLeft, y, kRight, y), kThin);
    out_.words(
        tick.label,
        {.x = kLeft - 6, .y = y + 4, .paint = "class=\"q\"", .anchor = "end"});
  }
  std::vector<Axis::Tick> ticks = x_.ticks();
  if (!frame.groups.empty()) ticks.clear();
  for (size_t i = 0; i < frame.groups.size(); ++i) {
    ticks.push_back({static_cast<double>(i), frame.groups[i]});
  }
  for (const Axis::Tick& tick : ticks) {
    out_.words(tick.label, {.x = x_at(tick.value),
                            .y = kBottom + 16,
                            .paint = "class=\"q\"",
                            .anchor = "middle"});
  }
  const SvgWords names{.paint = "class=\"q\"", .anchor = "middle"};
  SvgWords across = names, up = names;
  across.x = (kLeft + kRight) / 2, across.y = kBottom + 34;
  up.x = kSvgMargin, up.y = (kTop + kBottom) / 2, up.turn = -90;
  out_.words(frame.x_name, across);
  out_.words(frame.y_name, up);
}

void SvgPlot::bar(double from, double to, double low, double high, int color) {
  if (high <= low) return;
  const double left = x_at(from) + 1, top = y_at(high);
  out_.path(svg_box(left, top, x_at(to) - 1 - left, y_at(low) - top),
            fill(color, 0.85));
}

void SvgPlot::box(double at, double width, std::vector<double> values,
                  int color) {
  if (values.empty()) return;
  std::sort(values.begin(), values.end());
  const auto y = [&](double share) { return y_at(percentile(values, share)); };
  const double left = x_at(at - width / 2), right = x_at(at + width / 2);
  const double middle = x_at(at);
  out_.path(svg_box(left, y(0.75), right - left, y(0.25) - y(0.75)),
            fill(color, 0.35));
  out_.path(straight(middle, y(0.05), middle, y(0.25)) +
                straight(middle, y(0.75), middle, y(0.95)) +
                straight(left, y(0.5), right, y(0.5)),
            stroke(color));
}

void SvgPlot::point(double x, double y, int color, double radius) {
  const std::string r = svg_number(radius), across = svg_number(2 * radius);
  out_.path(join(move(x_at(x) - radius, y_at(y)), "a", r, " ", r, " 0 1 0 ",
                 across, " 0a", r, " ", r, " 0 1 0 -", across, " 0"),
            fill(color, 0.6));
}

void SvgPlot::line(std::span<const double> x, std::span<const double> y,
                   int color) {
  std::string path;
  for (size_t i = 0; i < x.size(); ++i) {
    path += join(i == 0 ? "M" : "L", svg_number(x_at(x[i])), " ",
                 svg_number(y_at(y[i])));
  }
  out_.path(path, stroke(color));
}

void SvgPlot::words(double x, double y, const std::string& text) {
  out_.words(text, {.x = x_at(x) + 6, .y = y_at(y) - 4, .size = 11});
}

void SvgPlot::legend(const std::string& name, int color) {
  const std::string shown = shortened(label_text(name), 20);
  out_.path(svg_box(legend_, kLegend - 9, 10, 10), fill(color, 0.85));
  out_.words(shown, {.x = legend_ + 14, .y = kLegend});
  legend_ += 30 + text_ems(shown) * kNoteFont.size;
}

std::string SvgPlot::finish() && {
  out_.raw("</svg>\n");
  return std::move(out_).take();
}

}  // namespace fovea
