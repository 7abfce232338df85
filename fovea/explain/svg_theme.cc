#include "fovea/explain/svg_theme.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "fovea/base/check.h"

namespace fovea {
namespace {

struct Theme {
  const char *ground, *text, *quiet, *hidden;
};
constexpr Theme kLight{"#fff", "#1f2933", "#5c6873", "#a9b4be"};
constexpr Theme kDark{"#14181d", "#e6e9ed", "#9aa5b1", "#596573"};

const char* name_of(SvgTheme theme) {
  constexpr const char* kNames[] = {"fovea-auto", "fovea-light", "fovea-dark"};
  return kNames[static_cast<size_t>(theme)];
}

// Under a name of its own, for the picture may be put inside a page.
std::string rules(const char* scope, const Theme& theme) {
  return join(".", scope, " .g{fill:", theme.ground, "}.", scope,
              " .t{fill:", theme.text, "}.", scope, " .q{fill:", theme.quiet,
              "}.", scope, " .h{stroke:", theme.hidden, "}");
}

std::string style_sheet(SvgTheme theme) {
  const char* scope = name_of(theme);
  std::string css = rules(scope, theme == SvgTheme::kDark ? kDark : kLight);
  if (theme == SvgTheme::kAuto) {
    css +=
        join("@media (prefers-color-scheme:dark){", rules(scope, kDark), "}");
  }
  return join("<style>", css, "</style>\n");
}

// Of the first element of a picture that begin_svg made.
double attribute(std::string_view svg, std::string_view name) {
  const size_t at = svg.find(join(" ", name, "=\"")) + name.size() + 3;
  return std::strtod(std::string(svg.substr(at, 32)).c_str(), nullptr);
}

std::string root(double width, double height) {
  const std::string w = svg_number(width), h = svg_number(height);
  return join("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", w,
              "\" height=\"", h, "\" viewBox=\"0 0 ", w, " ", h, "\"");
}

}  // namespace

void begin_svg(SvgWriter& out, const SvgPage& page) {
  out.raw(join(root(page.width, page.height), " class=\"", name_of(page.theme),
               "\" font-family=\"system-ui,Helvetica,Arial,sans-serif\" "
               "role=\"img\" aria-label=\"",
               xml_text(page.name), "\">\n"));
  out.raw(style_sheet(page.theme));
  out.path(svg_box(0, 0, page.width, page.height), "class=\"g\"");
}

std::string join_svg(const std::vector<std::string>& pictures) {
  if (pictures.size() == 1) return pictures.front();
  constexpr double kWidest = 1000;
  double x = 0, y = 0, line = 0, width = 0;
  std::string all;
  for (const std::string& picture : pictures) {
    const double across = attribute(picture, "width"),
                 down = attribute(picture, "height");
    if (x > 0 && x + across > kWidest) x = 0, y += line, line = 0;
    // A picture inside a picture needs its place only.
    all += join("<svg x=\"", svg_number(x), "\" y=\"", svg_number(y), "\"",
                picture.substr(4));
    x += across;
    line = std::max(line, down);
    width = std::max(width, x);
  }
  return join(root(width, y + line), ">\n", all, "</svg>\n");
}

}  // namespace fovea
