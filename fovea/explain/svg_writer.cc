#include "fovea/explain/svg_writer.h"

#include <charconv>

#include "fovea/base/check.h"
#include "fovea/base/unicode.h"

namespace fovea {
namespace {

double ems_of(std::string_view grapheme) {
  const int columns = display_width(grapheme);
  if (columns != 1) return 1.05 * columns / 2;
  const char c = grapheme.front();
  if (std::string_view("ijlI.,:;'|!()[] ").find(c) != std::string_view::npos) {
    return 0.36;
  }
  if (std::string_view("mwMW@%&").find(c) != std::string_view::npos) return 1.0;
  return c >= 'A' && c <= 'Z' ? 0.72 : 0.61;
}

}  // namespace

std::string xml_text(std::string_view text) {
  std::string escaped;
  for (const char c : one_line(text)) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

double text_ems(std::string_view text) {
  double ems = 0;
  for (const std::string_view part : graphemes(text)) ems += ems_of(part);
  return ems;
}

std::string svg_number(double value) {
  char text[64];
  char* end = std::to_chars(text, text + sizeof text, value,
                            std::chars_format::fixed, 1)
                  .ptr;
  std::string number(text, end);
  if (number.ends_with(".0")) number.resize(number.size() - 2);
  return number == "-0" ? "0" : number;
}

std::string svg_box(double x, double y, double width, double height) {
  const std::string w = svg_number(width), h = svg_number(height);
  return join("M", svg_number(x), " ", svg_number(y), "h", w, "v", h, "h-", w,
              "z");
}

void SvgWriter::words(std::string_view text, const SvgWords& at) {
  const std::string x = svg_number(at.x), y = svg_number(at.y);
  text_ += join("<text x=\"", x, "\" y=\"", y, "\" font-size=\"",
                svg_number(at.size), "\" ", at.paint);
  if (at.anchor != "start") text_ += join(" text-anchor=\"", at.anchor, "\"");
  if (at.bold) text_ += " font-weight=\"600\"";
  if (at.turn != 0) {
    text_ += join(" transform=\"rotate(", svg_number(at.turn), " ", x, " ", y,
                  ")\"");
  }
  text_ += join(">", xml_text(text), "</text>\n");
}

void SvgWriter::path(std::string_view path, std::string_view attributes) {
  if (path.empty()) return;
  text_ += join("<path ", attributes, " d=\"", path, "\"/>\n");
}

void SvgWriter::begin_at(double x, double y) {
  text_ += join("<g transform=\"translate(", svg_number(x), " ", svg_number(y),
                ")\">\n");
}

}  // namespace fovea
