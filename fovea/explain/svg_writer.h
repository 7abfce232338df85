#pragma once

#include <string>
#include <string_view>
#include <utility>

// The words, numbers and shapes of an SVG picture.
namespace fovea {

// Any bytes as XML text or attribute: harmless (see one_line) and escaped.
std::string xml_text(std::string_view text);

// About how wide a sans-serif font sets the text, as a multiple of its size;
// rather too much than too little.
double text_ems(std::string_view text);

// One digit behind the point at most, in every locale with a point.
std::string svg_number(double value);

// The path of a rectangle: "M12 34h5v5h-5z".
std::string svg_box(double x, double y, double width, double height);

// Where and how a text is set. `paint` is a class or a fill.
struct SvgWords {
  double x = 0, y = 0;
  double size = 12;
  std::string_view paint = "class=\"t\"";
  std::string_view anchor = "start";
  double turn = 0;  // degrees, clockwise
  bool bold = false;
};

class SvgWriter {
 public:
  void raw(std::string_view xml) { text_ += xml; }
  void words(std::string_view text, const SvgWords& at);
  // `attributes` are raw; nothing is written for an empty path.
  void path(std::string_view path, std::string_view attributes);
  // What is drawn until the end() lies so far right and down.
  void begin_at(double x, double y);
  void end() { text_ += "</g>\n"; }
  std::string take() && { return std::move(text_); }

 private:
  std::string text_;
};

}  // namespace fovea
