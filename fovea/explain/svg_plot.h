#pragma once

#include <span>
#include <string>
#include <vector>

#include "fovea/explain/axis.h"
#include "fovea/explain/svg_theme.h"
#include "fovea/explain/svg_writer.h"

namespace fovea {

// A small picture with two axes: bars, boxes or points of many cases.
class SvgPlot {
 public:
  struct Frame {
    std::string title, note = {};  // the note may take two lines
    std::string x_name, y_name;
    Axis::Range x, y;
    std::vector<std::string> groups = {};  // names of places 0, 1 ... of x,
                                           // instead of numbers
    SvgTheme theme = SvgTheme::kAuto;
  };
  explicit SvgPlot(const Frame& frame);

  // `color` numbers the colours; they repeat.
  void bar(double from, double to, double low, double high, int color);
  // Quartiles with the median, whiskers to the 5th and 95th percentile. Nothing
  // for no values.
  void box(double at, double width, std::vector<double> values, int color);
  void point(double x, double y, int color, double radius = 2);
  void line(std::span<const double> x, std::span<const double> y, int color);
  void words(double x, double y, const std::string& text);
  // What a colour stands for; below the title, from left to right.
  void legend(const std::string& name, int color);

  std::string finish() &&;

 private:
  double x_at(double value) const;
  double y_at(double value) const;
  void axes(const Frame& frame);

  SvgWriter out_;
  Axis x_, y_;
  double legend_;  // where the next one goes
};

// A colour of plots, told apart by all eyes, on a light or a dark ground.
const char* plot_color(int number);

}  // namespace fovea
