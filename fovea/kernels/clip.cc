#include "fovea/kernels/clip.h"

#include <algorithm>
#include <cmath>

#include "fovea/kernels/many.h"
#include "fovea/tensor/allocator.h"

// Highway compiles the part below once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/clip.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "fovea/kernels/loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Double = hn::ScalableTag<double>;
constexpr Double dd;
using Narrow = hn::Rebind<float, Double>;  // as many floats as fit doubles
constexpr Narrow dn;

// In double: squares of floats neither overflow nor lose digits.
double SumOfSquares(const float* x, size_t count) {
  const size_t lanes = hn::Lanes(dd);
  auto sum0 = hn::Zero(dd), sum1 = sum0, sum2 = sum0, sum3 = sum0;
  const auto add = [&](auto sum, size_t i) {
    const auto v = hn::PromoteTo(dd, hn::LoadU(dn, x + i));
    return hn::MulAdd(v, v, sum);
  };
  size_t i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    sum0 = add(sum0, i);
    sum1 = add(sum1, i + lanes);
    sum2 = add(sum2, i + 2 * lanes);
    sum3 = add(sum3, i + 3 * lanes);
  }
  const auto all = hn::Add(hn::Add(sum0, sum1), hn::Add(sum2, sum3));
  double sum = hn::GetLane(hn::SumOfLanes(dd, all));
  for (; i < count; ++i) sum += double{x[i]} * double{x[i]};
  return sum;
}

void Scale(float factor, float* x, size_t count) {
  const auto f = hn::Set(kFloats, factor);
  const float* in = x;
  map(
      count, x, [=](auto v) { return hn::Mul(v, f); }, in);
}

void Clamp(float limit, float* x, size_t count) {
  const auto high = hn::Set(kFloats, limit), low = hn::Set(kFloats, -limit);
  const auto clamp = [=](auto v) {
    const auto lifted = hn::IfThenElse(hn::Lt(v, low), low, v);
    return hn::IfThenElse(hn::Gt(lifted, high), high, lifted);
  };
  const float* in = x;
  map(count, x, clamp, in);
}

}  // namespace HWY_NAMESPACE
}  // namespace fovea::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
namespace {

HWY_EXPORT(SumOfSquares);
HWY_EXPORT(Scale);
HWY_EXPORT(Clamp);

}  // namespace

double global_norm(std::span<const std::span<const float>> arrays) {
  const auto size = [&](size_t i) -> int64_t { return arrays[i].size(); };
  const Scratch<double> sums(blocks_of(arrays.size(), size));
  over_many(arrays.size(), size, [&](const Piece& piece) {
    const float* x = arrays[piece.array].data();
    int64_t block = piece.block;
    for (int64_t i = piece.begin; i < piece.end; i += kManyBlock) {
      const int64_t end = std::min(i + kManyBlock, piece.end);
      sums[block++] = HWY_DYNAMIC_DISPATCH(SumOfSquares)(x + i, end - i);
    }
  });
  double sum = 0;
  for (double s : sums) sum += s;
  return std::sqrt(sum);
}

float clip_factor(double norm, double limit) {
  return limit > 0 && norm > limit ? static_cast<float>(limit / norm) : 1.0f;
}

void scale_all(std::span<const std::span<float>> arrays, float factor) {
  const auto size = [&](size_t i) -> int64_t { return arrays[i].size(); };
  over_many(arrays.size(), size, [&](const Piece& piece) {
    HWY_DYNAMIC_DISPATCH(Scale)
    (factor, arrays[piece.array].data() + piece.begin, piece.end - piece.begin);
  });
}

void scale_rows(MatrixView x, std::span<const float> factors) {
  const int64_t grain = 1 + (1 << 15) / std::max<int64_t>(1, x.cols);
  parallel_for(x.rows, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      HWY_DYNAMIC_DISPATCH(Scale)(factors[i], x.row(i), x.cols);
    }
  });
}

void clamp_all(std::span<const std::span<float>> arrays, float limit) {
  const auto size = [&](size_t i) -> int64_t { return arrays[i].size(); };
  over_many(arrays.size(), size, [&](const Piece& piece) {
    HWY_DYNAMIC_DISPATCH(Clamp)
    (limit, arrays[piece.array].data() + piece.begin, piece.end - piece.begin);
  });
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
