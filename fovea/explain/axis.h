#pragma once

#include <string>
#include <vector>

namespace fovea {

// One axis of a chart: from values to places, and numbers that are easy to
// read, such as 0, 20, 40 or 0.001, 0.01, 0.1.
class Axis {
 public:
  // Spans at least low..high, which are finite, and ends at round numbers when
  // `widen`. With `log`, both are above 0.
  struct Range {
    double low = 0, high = 1;
    bool log = false;
    bool widen = true;
  };
  // With about `wanted` marks.
  Axis(const Range& range, int wanted);

  struct Tick {
    double value = 0;
    std::string label;
  };
  const std::vector<Tick>& ticks() const { return ticks_; }

  // 0 at the low end, 1 at the high one.
  double place(double value) const;
  // What is at a place.
  double value_at(double place) const;

 private:
  void add_even_ticks(int wanted, bool widen);
  void add_log_ticks(int wanted);
  double scaled(double value) const;

  bool log_;
  double low_, high_;  // scaled
  std::vector<Tick> ticks_;
};

// Whole numbers exactly, others with five digits; for tables and tips.
std::string number_text(double value);

}  // namespace fovea
