#pragma once

#include <span>
#include <string>

#include "fovea/explain/color.h"
#include "fovea/explain/heatmap.h"

namespace fovea {

// From values to colours and short numbers: one scale for all maps of a
// picture, so that they can be compared.
class Scale {
 public:
  // Checks the maps. All must have the same range.
  explicit Scale(std::span<const Heatmap> maps);

  float low() const { return low_; }
  float high() const { return high_; }
  bool is_diverging() const { return range_ == ValueRange::kSymmetric; }

  // 0..1 from low to high; -1..1 if diverging.
  float position(float value) const;
  Color color(float value) const;
  int color_256(float value) const;

  // What stands at t = 0..1 of the way from low to high: for legends.
  float value_at(float t) const { return (1 - t) * low_ + t * high_; }

  // As short as a cell: ".53", "1", "-2.10", "112".
  std::string text(float value) const;

 private:
  ValueRange range_ = ValueRange::kUnit;
  float low_ = 0, high_ = 1;
};

// Four digits, for those who ask.
std::string exact_text(float value);

}  // namespace fovea
