#pragma once

#include <string>
#include <vector>

#include "fovea/explain/render_svg.h"
#include "fovea/explain/svg_writer.h"

namespace fovea {

struct SvgPage {
  double width = 0, height = 0;
  SvgTheme theme = SvgTheme::kAuto;
  std::string name = {};  // for who cannot see it
};

// The root of a picture, its ground, and classes for what lies on it: "t" for
// text, "q" for quiet text, "h" for lines around what is hidden.
void begin_svg(SvgWriter& out, const SvgPage& page);

// Pictures beside and below each other, as one.
std::string join_svg(const std::vector<std::string>& pictures);

}  // namespace fovea
