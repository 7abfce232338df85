#include "fovea/layers/init.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "fovea/autograd/elementwise.h"
#include "fovea/autograd/linear.h"
#include "fovea/base/check.h"

namespace fovea {
namespace {

constexpr float kBahdanauDeviation = 0.01f;
constexpr float kLuongBound = 0.1f;
constexpr int64_t kDraw = -1;

// Numbers that an InitFromFile has left.
thread_local int64_t left_in_file = kDraw;

bool from_file() { return left_in_file != kDraw; }

Tensor promised(const Shape& shape) {
  check_data(shape.size() <= left_in_file, "a weight of shape ", shape,
             " is more than the model's file has");
  left_in_file -= shape.size();
  return Tensor::without_memory(shape);
}

float dot(const float* a, const float* b, int64_t count) {
  std::array<float, 16> sums{};  // which a compiler keeps in vectors
  const auto lanes = static_cast<int64_t>(sums.size());
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    for (int64_t j = 0; j < lanes; ++j) sums[j] += a[i + j] * b[i + j];
  }
  float sum = 0;
  for (; i < count; ++i) sum += a[i] * b[i];
  for (float part : sums) sum += part;
  return sum;
}

// The modified way of Gram and Schmidt.
void make_few_orthonormal(const Tensor& rows) {
  const int64_t width = rows.dim(1);
  for (int64_t i = 0; i < rows.dim(0); ++i) {
    float* row = rows.data() + i * width;
    const float length = std::sqrt(dot(row, row, width));
    for (int64_t k = 0; k < width; ++k) row[k] /= length;
    for (int64_t j = i + 1; j < rows.dim(0); ++j) {
      float* later = rows.data() + j * width;
      const float share = dot(row, later, width);
      for (int64_t k = 0; k < width; ++k) later[k] -= share * row[k];
    }
  }
}

Tensor transposed(const Tensor& x) {
  const int64_t rows = x.dim(0), cols = x.dim(1);
  Tensor y({cols, rows});
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t k = 0; k < cols; ++k) y[k * rows + i] = x[i * cols + k];
  }
  return y;
}

// The same for many rows: what few of them have in common with all later ones
// is taken away by products, those whose rows do not depend on the threads.
void make_orthonormal(const Tensor& rows) {
  constexpr int64_t kFew = 32;
  const NoGrad no_graph;
  for (int64_t begin = 0; begin < rows.dim(0); begin += kFew) {
    const int64_t end = std::min(rows.dim(0), begin + kFew);
    const Tensor few = rows.row_range(begin, end);
    make_few_orthonormal(few);
    if (end == rows.dim(0)) break;
    const Tensor later = rows.row_range(end, rows.dim(0));
    const Var shares = linear(later, loop_weight(few));
    const Var common = linear(shares, loop_weight(transposed(few)));
    later.copy_from(sub(later, common).value());
  }
}

}  // namespace

InitFromFile::InitFromFile(int64_t most)
    : before_(std::exchange(left_in_file, most)) {}
InitFromFile::~InitFromFile() { left_in_file = before_; }

Tensor normal_init(const Shape& shape, RandomKey key, float deviation,
                   float mean) {
  if (from_file()) return promised(shape);
  Tensor t(shape);
  fill_normal(key, mean, deviation, t.span());
  return t;
}

Tensor uniform_init(const Shape& shape, RandomKey key, float bound) {
  if (from_file()) return promised(shape);
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
  const Tensor rows = normal_init({width, width}, key, 1.0f);
  if (from_file()) return rows;
  make_orthonormal(rows);
  make_orthonormal(rows);  // again, for what rounding has left
  return rows;
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
  if (from_file()) return promised({parts * width, width});
  Tensor all({parts * width, width});
  for (int i = 0; i < parts; ++i) {
    all.row_range(i * width, (i + 1) * width)
        .copy_from(orthogonal_init(width, key.with(static_cast<uint64_t>(i))));
  }
  return all;
}

Tensor slice_lengths(const Tensor& directions) {
  const int64_t count = directions.dim(0);
  if (from_file()) return promised({count});
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
