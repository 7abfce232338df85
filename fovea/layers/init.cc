#include "fovea/layers/init.h"

#include <array>
#include <cmath>
#include <vector>

#include "fovea/base/check.h"
#include "fovea/base/parallel.h"

namespace fovea {
namespace {

constexpr float kBahdanauDeviation = 0.01f;
constexpr float kLuongBound = 0.1f;

using Row = std::vector<double>;

double dot(const Row& a, const Row& b) {
  std::array<double, 8> sums{};  // which a compiler keeps in vectors
  size_t i = 0;
  for (; i + sums.size() <= a.size(); i += sums.size()) {
    for (size_t j = 0; j < sums.size(); ++j) sums[j] += a[i + j] * b[i + j];
  }
  double sum = 0;
  for (; i < a.size(); ++i) sum += a[i] * b[i];
  for (double part : sums) sum += part;
  return sum;
}

// The modified way of Gram and Schmidt; each row for itself, so that threads do
// not matter.
void make_orthonormal(std::vector<Row>& rows) {
  for (size_t i = 0; i < rows.size(); ++i) {
    Row& row = rows[i];
    const double length = std::sqrt(dot(row, row));
    for (double& x : row) x /= length;
    const auto later = static_cast<int64_t>(rows.size() - i - 1);
    parallel_for(later, 64, [&](int64_t begin, int64_t end) {
      for (int64_t j = begin; j < end; ++j) {
        Row& other = rows[i + 1 + j];
        const double share = dot(row, other);
        for (size_t k = 0; k < row.size(); ++k) other[k] -= share * row[k];
      }
    });
  }
}

}  // namespace

Tensor normal_init(const Shape& shape, RandomKey key, float deviation,
                   float mean) {
  Tensor t(shape);
  fill_normal(key, mean, deviation, t.span());
  return t;
}

Tensor uniform_init(const Shape& shape, RandomKey key, float bound) {
  Tensor t(shape);
  fill_uniform(key, -bound, bound, t.span());
  return t;
}

Tensor xavier_init(int64_t out, int64_t in, RandomKey key, int parts) {
  check(in > 0 && out > 0, "a weight of ", out, " x ", in, " has no elements");
  return uniform_init({parts * out, in}, key,
                      std::sqrt(6.0f / static_cast<float>(in + out)));
}

Tensor he_init(const Shape& shape, RandomKey key) {
  check(shape.size() > 0, "a weight of shape ", shape, " has no elements");
  const auto in = static_cast<float>(shape.size() / shape[0]);
  return normal_init(shape, key, std::sqrt(2.0f / in));
}

Tensor orthogonal_init(int64_t width, RandomKey key) {
  check(width > 0, "a weight of ", width, " x ", width, " has no elements");
  const Tensor normal = normal_init({width, width}, key, 1.0f);
  std::vector<Row> rows;
  for (int64_t i = 0; i < width; ++i) {
    const float* row = normal.data() + i * width;
    rows.emplace_back(row, row + width);
  }
  make_orthonormal(rows);
  Tensor t({width, width});
  float* to = t.data();
  for (const Row& row : rows) {
    for (double x : row) *to++ = static_cast<float>(x);
  }
  return t;
}

Tensor input_init(RecurrentInit how, int parts, int64_t out, int64_t in,
                  RandomKey key) {
  switch (how) {
    case RecurrentInit::kXavier:
      return xavier_init(out, in, key, parts);
    case RecurrentInit::kBahdanau:
      return normal_init({parts * out, in}, key, kBahdanauDeviation);
    case RecurrentInit::kLuong:
      break;
  }
  return uniform_init({parts * out, in}, key, kLuongBound);
}

Tensor recurrent_init(RecurrentInit how, int parts, int64_t width,
                      RandomKey key) {
  if (how == RecurrentInit::kLuong) {
    return uniform_init({parts * width, width}, key, kLuongBound);
  }
  Tensor all({parts * width, width});
  for (int i = 0; i < parts; ++i) {
    all.row_range(i * width, (i + 1) * width)
        .copy_from(orthogonal_init(width, key.with(static_cast<uint64_t>(i))));
  }
  return all;
}

Tensor slice_lengths(const Tensor& directions) {
  const int64_t count = directions.dim(0);
  Tensor lengths({count});
  for (int64_t i = 0; i < count; ++i) {
    double squares = 0;
    for (const float x : directions.row_range(i, i + 1).span()) {
      squares += static_cast<double>(x) * x;
    }
    lengths[i] = static_cast<float>(std::sqrt(squares));
  }
  return lengths;
}

}  // namespace fovea
