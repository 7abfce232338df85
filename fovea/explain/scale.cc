#include "fovea/explain/scale.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "fovea/base/check.h"

namespace fovea {
namespace {

struct Limits {
  float low = std::numeric_limits<float>::max();
  float high = std::numeric_limits<float>::lowest();
};

void widen(Limits& limits, const Heatmap& map) {
  for (size_t r = 0; r < map.rows.size(); ++r) {
    for (size_t c = 0; c < map.columns.size(); ++c) {
      if (!map.is_shown(r, c)) continue;
      limits.low = std::min(limits.low, map.at(r, c));
      limits.high = std::max(limits.high, map.at(r, c));
    }
  }
}

// In every locale with a point.
std::string printed(float value, std::chars_format format, int digits) {
  char text[64];
  const auto end =
      std::to_chars(text, text + sizeof text, value, format, digits).ptr;
  return {text, end};
}

// "0.53" is ".53" and "-0.53" is "-.53": a cell is small.
std::string without_zero(std::string text) {
  const size_t digit = text.starts_with('-') ? 1 : 0;
  if (text.substr(digit).starts_with("0.")) text.erase(digit, 1);
  return text;
}

}  // namespace

Scale::Scale(std::span<const Heatmap> maps) {
  if (maps.empty()) return;
  range_ = maps.front().range;
  Limits found;
  for (const Heatmap& map : maps) {
    check_heatmap(map);
    check(map.range == range_,
          "heat maps of one picture must have the same range");
    widen(found, map);
  }
  const bool any = found.low <= found.high;
  if (range_ == ValueRange::kUnit || !any) return;
  low_ = found.low;
  high_ = found.high;
  if (range_ == ValueRange::kFromZero) low_ = std::min(low_, 0.0f);
  if (is_diverging()) {
    high_ = std::max(std::abs(low_), std::abs(high_));
    low_ = -high_;
  }
}

float Scale::position(float value) const {
  if (high_ <= low_) return 0;
  if (is_diverging()) return std::clamp(value / high_, -1.0f, 1.0f);
  // In double, for the width of the range may be more than a float holds.
  const double width = static_cast<double>(high_) - low_;
  return std::clamp(
      static_cast<float>((static_cast<double>(value) - low_) / width), 0.0f,
      1.0f);
}

Color Scale::color(float value) const {
  const float t = position(value);
  return is_diverging() ? diverging_color(t) : sequential_color(t);
}

int Scale::color_256(float value) const {
  const float t = position(value);
  return is_diverging() ? diverging_256(t) : sequential_256(t);
}

std::string Scale::text(float value) const {
  if (value == 0) return "0";
  const float size = std::max(std::abs(low_), std::abs(high_));
  if (size >= 1e5f || size < 0.01f) {
    return printed(value, std::chars_format::scientific, 1);
  }
  const int decimals = size >= 100 ? 0 : size >= 10 ? 1 : 2;
  const std::string text = printed(value, std::chars_format::fixed, decimals);
  return text == "1.00" ? "1" : without_zero(text);
}

std::string exact_text(float value) {
  return printed(value, std::chars_format::general, 4);
}

}  // namespace fovea
