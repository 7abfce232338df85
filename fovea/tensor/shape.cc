#include "fovea/tensor/shape.h"

#include <algorithm>
#include <limits>

#include "fovea/base/check.h"

namespace fovea {

Shape::Shape(std::span<const int64_t> dims)
    : rank_(static_cast<int>(dims.size())) {
  check(dims.size() <= kMaxRank, "a shape has at most ", kMaxRank,
        " axes, not ", dims.size());
  std::copy(dims.begin(), dims.end(), dims_.begin());
  int64_t left = std::numeric_limits<int64_t>::max() / 8;
  for (int64_t dim : dims) {
    check(dim >= 0, "a shape has a negative size, ", dim);
    check(dim == 0 || dim <= left, "a shape is too large: ", *this);
    if (dim > 0) left /= dim;
  }
}

int64_t Shape::size() const {
  int64_t n = 1;
  for (int i = 0; i < rank_; ++i) n *= dims_[i];
  return n;
}

int64_t Shape::operator[](int axis) const {
  const int i = axis < 0 ? axis + rank_ : axis;
  check(i >= 0 && i < rank_, "axis ", axis, " of shape ", *this);
  return dims_[i];
}

std::ostream& operator<<(std::ostream& out, const Shape& shape) {
  out << '[';
  for (int i = 0; i < shape.rank(); ++i) out << (i ? ", " : "") << shape[i];
  return out << ']';
}

}  // namespace fovea
