#pragma once

#include <string>

namespace fovea {

// A picture of render_svg as a PNG file, `scale` pixels for one of its own, or
// fewer where that would be more than 12 million.
// librsvg draws it, which knows all scripts; it is opened when it is first
// needed, so that nobody else needs it or waits for it. A usage error says what
// to install where it is missing.
std::string render_png(const std::string& svg, double scale = 2);

}  // namespace fovea
