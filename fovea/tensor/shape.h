#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <ostream>
#include <span>
#include <string>

namespace fovea {

// Up to four sizes. A scalar has none and one element.
class Shape {
 public:
  static constexpr int kMaxRank = 4;

  Shape() = default;
  Shape(std::initializer_list<int64_t> dims)
      : Shape(std::span(dims.begin(), dims.size())) {}
  explicit Shape(std::span<const int64_t> dims);

  int rank() const { return rank_; }
  int64_t size() const;
  // Negative axes count from the end.
  int64_t operator[](int axis) const;

  friend bool operator==(const Shape&, const Shape&) = default;

 private:
  std::array<int64_t, kMaxRank> dims_{};
  int rank_ = 0;
};

std::ostream& operator<<(std::ostream& out, const Shape& shape);  // [2, 3]

}  // namespace fovea
