#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "fovea/base/check.h"
#include "fovea/explain/render_pictures.h"
#include "fovea/explain/scale.h"
#include "fovea/explain/svg_layout.h"
#include "fovea/explain/svg_picture.h"
#include "fovea/explain/svg_plot.h"
#include "fovea/explain/view_parts.h"

namespace fovea {
namespace {

constexpr double kRow = 22, kGap = 220, kNames = 24;
constexpr float kFaintest = 0.01f;  // weights below it have no line
constexpr size_t kMostLines = 1000;

double middle_of(int64_t row) {
  return (static_cast<double>(row) + 0.5) * kRow;
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

// A weight from a query to a key.
struct Line {
  int head;
  int64_t query, key;
  float weight;
};

std::vector<Line> lines_of(const ExplainedLayer& layer,
                           const std::vector<int>& heads, int token) {
  std::vector<Line> lines;
  for (const int head : heads) {
    const Tensor& weights = layer.weights[head];
    for (int64_t i = 0; i < weights.dim(0); ++i) {
      if (token >= 0 && i != token) continue;
      for (int64_t j = 0; j < weights.cols(); ++j) {
        const float weight = weights[i * weights.cols() + j];
        if (weight >= kFaintest) lines.push_back({head, i, j, weight});
      }
    }
  }
  return lines;
}

// The strongest, if there are too many: of a long text most are too faint to be
// seen, and a renderer takes its time for each. Says how strong a line is then
// at least.
float keep_strongest(std::vector<Line>& lines) {
  if (lines.size() <= kMostLines) return kFaintest;
  std::ranges::stable_sort(lines, std::greater(), &Line::weight);
  lines.resize(kMostLines);
  return lines.back().weight;
}

// Lines of the next head lie a little lower, so that they can be told apart.
void draw(SvgWriter& out, const Line& line, double left) {
  const double shift = 2.0 * (line.head % 4) - 3;
  const std::string half = svg_number(left + kGap / 2);
  const std::string start = svg_number(middle_of(line.query) + shift),
                    end = svg_number(middle_of(line.key) + shift);
  out.path(join("M", svg_number(left), " ", start, "C", half, " ", start, " ",
                half, " ", end, " ", svg_number(left + kGap), " ", end),
           join("fill=\"none\" stroke=\"", plot_color(line.head),
                "\" stroke-width=\"", svg_number(0.5 + 2 * line.weight),
                "\" stroke-opacity=\"",
                std::round(100 * std::min(1.0f, line.weight)) / 100, "\""));
}

void head_names(SvgWriter& out, const std::vector<int>& heads) {
  double x = kSvgMargin;
  for (int head : heads) {
    const std::string name = join("head ", head);
    out.path(svg_box(x, 2, 10, 10), join("fill=\"", plot_color(head), "\""));
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
  const auto queries = e.labels_of(layer.queries);
  const auto keys = e.labels_of(layer.keys);
  check_token(options.token, queries.size());
  const std::vector<int> heads = shown_heads(layer, options.head);
  const double left = kSvgMargin + widest_label(queries) + 8;
  const double across = left + kGap + 8 + widest_label(keys) + kSvgMargin;
  const double names = kSvgMargin + 80.0 * static_cast<double>(heads.size());
  const auto rows = static_cast<double>(std::max(queries.size(), keys.size()));
  std::vector<Line> lines = lines_of(layer, heads, options.token);
  const float least = keep_strongest(lines);
  const std::string left_out =
      least > kFaintest ? join(", weights from ", exact_text(least), " on")
                        : "";
  SvgPicture picture({.title = "Heads",
                      .note = layer.name + left_out,
                      .caution = heads_caution(e, layer, options.head),
                      .width = std::max(across, names),
                      .height = kNames + rows * kRow},
                     theme);
  SvgWriter& out = picture.out;
  out.begin_at(0, SvgPicture::kTop);
  head_names(out, heads);
  out.begin_at(0, kNames);
  for (const Line& line : lines) draw(out, line, left);
  column(out, queries, left - 6, "end");
  column(out, keys, left + kGap + 6, "start");
  out.end();
  out.end();
  return std::move(picture).finish();
}

}  // namespace fovea
