#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "fovea/base/check.h"
#include "fovea/explain/render_pictures.h"
#include "fovea/explain/svg_layout.h"
#include "fovea/explain/svg_picture.h"
#include "fovea/explain/view_parts.h"

namespace fovea {
namespace {

constexpr double kLine = 22, kGap = 220, kNames = 24;
// Okabe and Ito's colours, told apart by all eyes, on a light or a dark ground.
constexpr std::array<const char*, 7> kHeadColors = {
    "#0072b2", "#d55e00", "#009e73", "#cc79a7",
    "#e69f00", "#56b4e9", "#8c8c00"};
constexpr float kFaintest = 0.01f;  // weights below it have no line

const char* color_of(int head) {
  return kHeadColors[static_cast<size_t>(head) % kHeadColors.size()];
}

double middle_of(int64_t row) {
  return (static_cast<double>(row) + 0.5) * kLine;
}

void column(SvgWriter& out, const std::vector<std::string>& labels, double x,
            std::string_view anchor) {
  for (size_t i = 0; i < labels.size(); ++i) {
    out.words(svg_label(labels[i]),
              {.x = x,
               .y = middle_of(static_cast<int64_t>(i)) + 0.36 * kLabelFont,
               .size = kLabelFont,
               .anchor = anchor});
  }
}

void line(SvgWriter& out, double left, double from, double to, float weight,
          const char* color) {
  const std::string half = svg_number(left + kGap / 2);
  const std::string start = svg_number(from), end = svg_number(to);
  out.path(join("M", svg_number(left), " ", start, "C", half, " ", start, " ",
                half, " ", end, " ", svg_number(left + kGap), " ", end),
           join("fill=\"none\" stroke=\"", color, "\" stroke-width=\"",
                svg_number(0.5 + 2 * weight), "\" stroke-opacity=\"",
                std::round(100 * std::min(1.0f, weight)) / 100, "\""));
}

// The lines of one head; of one query, or with -1 of all. Those of the next
// head lie a little lower, so that they can be told apart.
void lines(SvgWriter& out, const Tensor& weights, int token, double left,
           int head) {
  const double shift = 2.0 * (head % 4) - 3;
  for (int64_t i = 0; i < weights.dim(0); ++i) {
    if (token >= 0 && i != token) continue;
    for (int64_t j = 0; j < weights.cols(); ++j) {
      const float weight = weights[i * weights.cols() + j];
      if (weight < kFaintest) continue;
      line(out, left, middle_of(i) + shift, middle_of(j) + shift, weight,
           color_of(head));
    }
  }
}

void head_names(SvgWriter& out, const std::vector<int>& heads) {
  double x = kSvgMargin;
  for (int head : heads) {
    const std::string name = join("head ", head);
    out.path(svg_box(x, 2, 10, 10), join("fill=\"", color_of(head), "\""));
    out.words(name, {.x = x + 14, .y = 12});
    x += 30 + text_ems(name) * kNoteFont.size;
  }
}

std::vector<int> shown_heads(const ExplainedLayer& layer, int head) {
  layer.shown(head);  // throws if there is no such
  if (head >= 0) return {head};
  std::vector<int> all(layer.weights.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

}  // namespace

std::string render_heads_svg(const Explanation& e, const ViewOptions& options,
                             SvgTheme theme) {
  const ExplainedLayer layer = chosen_sentences(e, options);
  const auto& queries = e.labels_of(layer.queries);
  const auto& keys = e.labels_of(layer.keys);
  check_usage(options.token < std::ssize(queries), "token ", options.token,
              ": there are ", queries.size(), ", the first being 0");
  const std::vector<int> heads = shown_heads(layer, options.head);
  const double left = kSvgMargin + widest_label(queries) + 8;
  const double across = left + kGap + 8 + widest_label(keys) + kSvgMargin;
  const double names = kSvgMargin + 80.0 * static_cast<double>(heads.size());
  const auto rows = static_cast<double>(std::max(queries.size(), keys.size()));
  SvgPicture picture(e,
                     {.title = "Heads",
                      .note = layer.name,
                      .width = std::max(across, names),
                      .height = kNames + rows * kLine},
                     theme);
  SvgWriter& out = picture.out;
  out.begin_at(0, SvgPicture::kTop);
  head_names(out, heads);
  out.begin_at(0, kNames);
  for (int head : heads) {
    lines(out, layer.weights[head], options.token, left, head);
  }
  column(out, queries, left - 6, "end");
  column(out, keys, left + kGap + 6, "start");
  out.end();
  out.end();
  return std::move(picture).finish();
}

}  // namespace fovea
