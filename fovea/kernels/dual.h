#pragma once

#include <cmath>

namespace fovea::kernels {

// A number and its derivative by some variable. Arithmetic carries both along,
// so a generic function evaluated on {x, 1} gives its value and its slope at x.
// A plain number converts to one that does not depend on the variable.
template <class T>
struct Dual {
  T value{}, slope{};

  constexpr Dual() = default;
  constexpr Dual(T v) : value(v) {}  // NOLINT: converts on purpose
  constexpr Dual(T v, T s) : value(v), slope(s) {}

  friend constexpr Dual operator-(Dual a) { return {-a.value, -a.slope}; }

  friend constexpr Dual operator+(Dual a, Dual b) {
    return {a.value + b.value, a.slope + b.slope};
  }
  friend constexpr Dual operator-(Dual a, Dual b) {
    return {a.value - b.value, a.slope - b.slope};
  }
  friend constexpr Dual operator*(Dual a, Dual b) {
    return {a.value * b.value, a.slope * b.value + a.value * b.slope};
  }
  friend constexpr Dual operator/(Dual a, Dual b) {
    const T y = a.value / b.value;
    return {y, (a.slope - y * b.slope) / b.value};
  }

  // With a plain number: fewer operations, and no 0 * infinity.
  friend constexpr Dual operator+(Dual a, T b) {
    return {a.value + b, a.slope};
  }
  friend constexpr Dual operator+(T a, Dual b) {
    return {a + b.value, b.slope};
  }
  friend constexpr Dual operator-(Dual a, T b) {
    return {a.value - b, a.slope};
  }
  friend constexpr Dual operator-(T a, Dual b) {
    return {a - b.value, -b.slope};
  }
  friend constexpr Dual operator*(Dual a, T b) {
    return {a.value * b, a.slope * b};
  }
  friend constexpr Dual operator*(T a, Dual b) { return b * a; }
  friend constexpr Dual operator/(Dual a, T b) {
    return {a.value / b, a.slope / b};
  }

  friend constexpr bool operator<(Dual a, Dual b) { return a.value < b.value; }
  friend constexpr bool operator>(Dual a, Dual b) { return a.value > b.value; }
  friend constexpr bool operator<=(Dual a, Dual b) {
    return a.value <= b.value;
  }
  friend constexpr bool operator>=(Dual a, Dual b) {
    return a.value >= b.value;
  }

  // Found by their argument: write `using std::exp; ... exp(x)`.
  friend Dual abs(Dual a) { return a.value < 0 ? -a : a; }
  friend Dual exp(Dual a) {
    const T y = std::exp(a.value);
    return {y, y * a.slope};
  }
  friend Dual log(Dual a) { return {std::log(a.value), a.slope / a.value}; }
  friend Dual sqrt(Dual a) {
    const T y = std::sqrt(a.value);
    return {y, a.slope / (2 * y)};
  }
  friend Dual tanh(Dual a) {
    const T y = std::tanh(a.value);
    return {y, (1 - y * y) * a.slope};
  }
};

}  // namespace fovea::kernels
