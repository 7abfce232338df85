#pragma once

#include <string>
#include <vector>

#include "fovea/explain/explanation.h"
#include "fovea/explain/svg_theme.h"
#include "fovea/explain/svg_writer.h"

namespace fovea {

// A title, something drawn, and what weights do not prove below it.
class SvgPicture {
 public:
  struct Frame {
    std::string title, note = {};
    std::string caution;           // what it does not prove
    double width = 0, height = 0;  // of what is drawn
  };
  static constexpr double kTop = 64;  // where that begins

  SvgPicture(const Frame& frame, SvgTheme theme);

  SvgWriter out;
  std::string finish() &&;

 private:
  std::vector<std::string> caution_;
  double below_;
};

constexpr double kLabelFont = 13;

// A label as it is set, and how wide the widest of many is.
std::string svg_label(const std::string& token);
double widest_label(const std::vector<std::string>& tokens);

}  // namespace fovea
