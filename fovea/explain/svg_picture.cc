#include "fovea/explain/svg_picture.h"

#include <algorithm>
#include <utility>

#include "fovea/explain/label.h"
#include "fovea/explain/svg_layout.h"

namespace fovea {
namespace {

constexpr double kNarrowest = 420;  // a caution wants room
constexpr int kLongestLabel = 30;

}  // namespace

SvgPicture::SvgPicture(const Frame& frame, SvgTheme theme)
    : below_(kTop + frame.height + 10) {
  const double width = std::max(frame.width, kNarrowest);
  caution_ = wrap_words(
      frame.caution, width - 2 * kSvgMargin,
      [](std::string_view text) { return text_ems(text) * kNoteFont.size; });
  const double lines = static_cast<double>(caution_.size()) * kNoteFont.line;
  begin_svg(out, {.width = width,
                  .height = below_ + lines + kSvgMargin,
                  .theme = theme,
                  .name = frame.title});
  out.words(frame.title, {.x = kSvgMargin,
                          .y = kSvgMargin + kTitleFont.size,
                          .size = kTitleFont.size,
                          .bold = true});
  out.words(frame.note, {.x = kSvgMargin,
                         .y = kSvgMargin + kTitleFont.line + kNoteFont.size,
                         .paint = "class=\"q\""});
}

std::string SvgPicture::finish() && {
  double y = below_ + kNoteFont.size;
  for (const std::string& line : caution_) {
    out.words(line, {.x = kSvgMargin, .y = y, .paint = "class=\"q\""});
    y += kNoteFont.line;
  }
  out.raw("</svg>\n");
  return std::move(out).take();
}

std::string svg_label(const std::string& token) {
  return shortened(label_text(token), kLongestLabel);
}

double widest_label(const std::vector<std::string>& tokens) {
  double most = 0;
  for (const std::string& token : tokens) {
    most = std::max(most, text_ems(svg_label(token)) * kLabelFont);
  }
  return most;
}

}  // namespace fovea
