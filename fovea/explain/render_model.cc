#include <algorithm>
#include <array>
#include <cmath>

#include "fovea/base/check.h"
#include "fovea/explain/color.h"
#include "fovea/explain/render_pictures.h"
#include "fovea/explain/svg_layout.h"
#include "fovea/explain/svg_picture.h"
#include "fovea/explain/view_parts.h"

namespace fovea {
namespace {

constexpr double kSide = 76, kStep = kSide + 8, kNames = 18;
constexpr int kColors = 16;

// Cells of one colour are one path.
void thumbnail(SvgWriter& out, const Tensor& weights) {
  std::array<std::string, kColors> paths;
  const double h = kSide / static_cast<double>(weights.dim(0)),
               w = kSide / static_cast<double>(weights.cols());
  for (int64_t i = 0; i < weights.dim(0); ++i) {
    for (int64_t j = 0; j < weights.cols(); ++j) {
      const float value =
          std::clamp(weights[i * weights.cols() + j], 0.0f, 1.0f);
      const auto color = static_cast<int>(std::lround(value * (kColors - 1)));
      if (color == 0) continue;
      paths[color] += svg_box(static_cast<double>(j) * w,
                              static_cast<double>(i) * h, w + 0.2, h + 0.2);
    }
  }
  paths[0] = svg_box(0, 0, kSide, kSide);
  for (int c = 0; c < kColors; ++c) {
    const float t = static_cast<float>(c) / (kColors - 1);
    out.path(paths[c], join("fill=\"", hex_text(sequential_color(t)), "\""));
  }
}

}  // namespace

std::string render_model_svg(const Explanation& e, SvgTheme theme) {
  check_usage(!e.layers.empty(), "this model has no attention to show");
  size_t most = 0;
  std::vector<std::string> names;
  for (const ExplainedLayer& layer : e.layers) {
    most = std::max(most, layer.weights.size());
    names.push_back(layer.name);
  }
  const double left = kSvgMargin + widest_label(names) + 10;
  SvgPicture picture(
      {.title = "All layers and heads",
       .caution = model_caution(e),
       .width = left + static_cast<double>(most) * kStep + kSvgMargin,
       .height = kNames + static_cast<double>(names.size()) * kStep},
      theme);
  SvgWriter& out = picture.out;
  out.begin_at(left, SvgPicture::kTop + kNames);
  for (size_t h = 0; h < most; ++h) {
    out.words(join("head ", h),
              {.x = static_cast<double>(h) * kStep + kSide / 2,
               .y = -6,
               .paint = "class=\"q\"",
               .anchor = "middle"});
  }
  for (size_t l = 0; l < names.size(); ++l) {
    const double y = static_cast<double>(l) * kStep;
    out.words(svg_label(names[l]), {.x = -10,
                                    .y = y + kSide / 2 + 4,
                                    .size = kLabelFont,
                                    .anchor = "end"});
    for (size_t h = 0; h < e.layers[l].weights.size(); ++h) {
      out.begin_at(static_cast<double>(h) * kStep, y);
      thumbnail(out, e.layers[l].weights[h]);
      out.end();
    }
  }
  out.end();
  return std::move(picture).finish();
}

}  // namespace fovea
