#pragma once

#include <string>
#include <vector>

namespace fovea {

// One line. Points in any number, x rising; where y is not finite the line has
// a gap.
struct Series {
  std::string name = {};
  std::vector<double> x = {}, y = {};
};

// A point of x that deserves a name, such as the best step.
struct Mark {
  double x = 0;
  std::string name = {};
};

struct Chart {
  std::string title = {};
  std::string note = {};
  std::string x_name = {}, y_name = {};
  std::vector<Series> series = {};
  std::vector<Mark> marks = {};
  bool log_y = false;  // leaves out what is not above 0
};

// The chart as an SVG picture inside a page that has the rules of
// chart_style(). Where the pointer is, a line shows the place and a tip tells
// the values there. Long series are thinned so that no peak is lost.
std::string render_chart(const Chart& chart);

// The style sheet, for readers in the light and in the dark.
std::string chart_style();

}  // namespace fovea
