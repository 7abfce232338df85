#include "fovea/explain/render_lines.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "fovea/base/check.h"
#include "fovea/base/unicode.h"
#include "fovea/explain/color.h"
#include "fovea/explain/label.h"
#include "fovea/explain/view_parts.h"

namespace fovea {
namespace {

constexpr int kThumbnail = 16;  // columns and rows at most
// Words with less of the largest weight have no colour.
constexpr float kFaint = 0.05f;

// 38: of letters, 48: of the ground.
std::string paint(int what, float value, ColorMode mode) {
  if (mode == ColorMode::k256) {
    return join(what, ";5;", sequential_256(value));
  }
  const Color c = sequential_color(value);
  return join(what, ";2;", int{c.red}, ";", int{c.green}, ";", int{c.blue});
}

// The largest value of each part: a thin line of attention stays visible.
Tensor reduced(const Tensor& weights) {
  const int64_t rows = std::min<int64_t>(kThumbnail, weights.dim(0)),
                columns = std::min<int64_t>(kThumbnail, weights.cols());
  Tensor small = Tensor::zeros({rows, columns});
  for (int64_t i = 0; i < weights.dim(0); ++i) {
    for (int64_t j = 0; j < weights.cols(); ++j) {
      float& at = small[i * rows / weights.dim(0) * columns +
                        j * columns / weights.cols()];
      at = std::max(at, weights[i * weights.cols() + j]);
    }
  }
  return small;
}

float value_at(const Tensor& map, int64_t row, int64_t column) {
  return row < map.dim(0) ? std::clamp(map[row * map.cols() + column], 0.f, 1.f)
                          : 0;
}

// One line of a thumbnail; two rows of it if there are colours.
std::string thumbnail_line(const Tensor& map, int64_t line, ColorMode mode) {
  std::string text;
  for (int64_t c = 0; c < map.cols(); ++c) {
    if (mode == ColorMode::kPlain) {
      text += shade_of(value_at(map, line, c));
      continue;
    }
    text += join("\033[", paint(38, value_at(map, 2 * line, c), mode), ";",
                 paint(48, value_at(map, 2 * line + 1, c), mode), "m▀");
  }
  return mode == ColorMode::kPlain ? text : text + "\033[0m";
}

// A word as it is seen: on a ground as bright as its share of the largest
// weight, with letters that can be read on it whatever colours the terminal
// has; bold or in brackets at the focus.
std::string seen_word(const std::string& word, float share, ColorMode mode) {
  const bool focus = share >= 0.5f;
  if (mode == ColorMode::kPlain) return focus ? join("[", word, "]") : word;
  if (share < kFaint) return join("\033[2m", word, "\033[0m");
  const Color ground = mode == ColorMode::k256
                           ? color_of_256(sequential_256(share))
                           : sequential_color(share);
  // 16 and 231 are black and white, whatever the user's own palette is.
  const int ink = text_color_on(ground) == kBlack ? 16 : 231;
  return join("\033[", focus ? "1;" : "", "38;5;", ink, ";",
              paint(48, share, mode), "m", word, "\033[0m");
}

// The source as seen from one row, in lines of at most so many columns; those
// after the first are `indent` columns to the right.
std::string seen_from(const Heatmap& map, size_t row, int indent,
                      const TerminalOptions& options) {
  const bool plain = options.color == ColorMode::kPlain;
  float most = 0;
  for (size_t c = 0; c < map.columns.size(); ++c) {
    most = std::max(most, map.at(row, c));
  }
  std::string text;
  int column = indent;
  for (size_t c = 0; c < map.columns.size(); ++c) {
    const float share = most > 0 ? map.at(row, c) / most : 0;
    const std::string word = label_text(map.columns[c]);
    const int wide = 1 + display_width(word) + (plain && share >= 0.5f ? 2 : 0);
    if (column + wide > options.width && column > indent) {
      text += join("\n", padded("", indent - 1), "|");
      column = indent;
    }
    text += join(" ", seen_word(word, share, options.color));
    column += wide;
  }
  return text + "\n";
}

}  // namespace

std::string render_model_lines(const Explanation& e,
                               const TerminalOptions& options) {
  check_usage(!e.layers.empty(), "this model has no attention to show");
  const bool plain = options.color == ColorMode::kPlain;
  std::string text;
  for (const ExplainedLayer& layer : e.layers) {
    text += join(layer.name, " (heads 0 to ", layer.weights.size() - 1, ")\n");
    std::vector<Tensor> maps;
    for (const Tensor& weights : layer.weights) {
      maps.push_back(reduced(weights));
    }
    const int64_t rows = maps.front().dim(0);
    const int64_t lines = plain ? rows : (rows + 1) / 2;
    const int64_t wide = maps.front().cols() + 2;
    const auto per_line =
        static_cast<size_t>(std::max<int64_t>(1, options.width / wide));
    for (size_t first = 0; first < maps.size(); first += per_line) {
      const size_t last = std::min(maps.size(), first + per_line);
      for (int64_t line = 0; line < lines; ++line) {
        for (size_t m = first; m < last; ++m) {
          text += plain ? "|" : " ";
          text += thumbnail_line(maps[m], line, options.color);
          if (plain) text += '|';
        }
        text += "\n";
      }
      text += "\n";
    }
  }
  return text + wrapped_lines(model_caution(e), options.width);
}

std::string render_fovea_lines(const Heatmap& map,
                               const TerminalOptions& options) {
  int label = 0;
  for (const std::string& row : map.rows) {
    label = std::max(label, display_width(shortened(label_text(row), 20)));
  }
  std::string text;
  for (size_t r = 0; r < map.rows.size(); ++r) {
    text += padded(shortened(label_text(map.rows[r]), 20), label) + " |";
    text += seen_from(map, r, label + 2, options);
  }
  return text + wrapped_lines(map.caution, options.width);
}

std::string render_statistics_lines(const Explanation& e,
                                    const TerminalOptions& options) {
  check_usage(!e.layers.empty(), "this model has no attention to show");
  int label = 5;
  for (const ExplainedLayer& layer : e.layers) {
    label = std::max(label, display_width(layer.name));
  }
  std::string text = padded("layer", label) +
                     "  head  entropy  largest  keys  distance  marks  "
                     "monotone\n";
  for (const ExplainedLayer& layer : e.layers) {
    for (size_t h = 0; h < layer.statistics.size(); ++h) {
      const HeadStatistics& s = layer.statistics[h];
      char line[128];
      std::snprintf(line, sizeof line,
                    "  %4zu  %7.3f  %7.3f  %4.1f  %8.2f  %5.2f  ", h, s.entropy,
                    s.largest, s.effective_keys, s.distance, s.special);
      char last[16] = "       -";
      if (std::isfinite(s.monotonicity)) {
        std::snprintf(last, sizeof last, "%8.2f", s.monotonicity);
      }
      text += padded(layer.name, label) + line + last + "\n";
    }
  }
  return text + wrapped_lines(
                    "Means over queries: entropy in nats, the largest "
                    "weight, exp(entropy), how far a query looks, the "
                    "share of end or begin marks, and the correlation of "
                    "queries with where they look.",
                    options.width);
}

}  // namespace fovea
