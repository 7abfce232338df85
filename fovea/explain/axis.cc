#include "fovea/explain/axis.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "fovea/base/check.h"

namespace fovea {
namespace {

std::string digits(double value, int precision) {
  char text[40];
  const auto end = std::to_chars(text, text + sizeof text, value,
                                 std::chars_format::general, precision);
  return {text, end.ptr};
}

// 20000 as 20k, as room is scarce.
std::string tick_label(double value) {
  const double size = std::abs(value);
  if (size >= 1e9 || (size > 0 && size < 1e-4)) return digits(value, 3);
  if (size >= 1e6) return digits(value / 1e6, 6) + "M";
  if (size >= 1e4) return digits(value / 1e3, 6) + "k";
  return digits(value, 6);
}

// The least of 1, 2 and 5 times a power of ten that is no smaller.
double round_step(double least) {
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

}  // namespace

Axis::Axis(const Range& range, int wanted) : log_(range.log) {
  check(std::isfinite(range.low) && std::isfinite(range.high) &&
            range.low <= range.high && (!log_ || range.low > 0),
        "axis: no scale from ", range.low, " to ", range.high);
  low_ = scaled(range.low);
  high_ = scaled(range.high);
  // One value alone, or nearly, lies in the middle.
  const double least = 1e-6 * std::max(std::abs(low_), std::abs(high_));
  if (high_ - low_ <= least) {
    const double half = low_ == 0 ? 1 : std::abs(low_) / 2;
    low_ -= log_ ? 0.5 : half;
    high_ += log_ ? 0.5 : half;
  }
  if (log_) {
    add_log_ticks(wanted);
  } else {
    add_even_ticks(wanted, range.widen);
  }
}

void Axis::add_even_ticks(int wanted, bool widen) {
  const double step = round_step((high_ - low_) / wanted);
  if (widen) {
    low_ = std::floor(low_ / step + 1e-9) * step;
    high_ = std::ceil(high_ / step - 1e-9) * step;
  }
  const double first = std::ceil(low_ / step - 1e-9);
  const double last = std::floor(high_ / step + 1e-9);
  for (double i = first; i <= last; ++i) {
    const double value = i * step + 0.0;  // no -0
    ticks_.push_back({value, tick_label(value)});
  }
}

// Powers of ten; 2 and 5 times them where there are few.
void Axis::add_log_ticks(int wanted) {
  const auto from = static_cast<int>(std::floor(low_));
  const auto to = static_cast<int>(std::ceil(high_));
  const int stride = std::max(1, (to - from) / wanted);
  for (int power = from; power <= to; power += stride) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      if (factor > 1 && to - from > 3) break;
      const double value = factor * std::pow(10, power);
      const double at = std::log10(value);
      if (at < low_ - 1e-9 || at > high_ + 1e-9) continue;
      ticks_.push_back({value, tick_label(value)});
    }
  }
}

double Axis::scaled(double value) const {
  return log_ ? std::log10(value) : value;
}

double Axis::place(double value) const {
  return (scaled(value) - low_) / (high_ - low_);
}

double Axis::value_at(double place) const {
  const double at = low_ + place * (high_ - low_);
  return log_ ? std::pow(10, at) : at;
}

std::string number_text(double value) {
  const bool whole = std::abs(value) < 1e15 && value == std::floor(value);
  return digits(value, whole ? 15 : 5);
}

}  // namespace fovea
