#include "fovea/kernels/batch_norm.h"

#include <algorithm>
#include <cassert>

#include "fovea/base/parallel.h"
#include "fovea/tensor/allocator.h"

// Highway compiles the part below once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/batch_norm.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "fovea/kernels/loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// sums += x
void AddRow(const float* x, float* sums, size_t count) {
  const float* before = sums;
  map(
      count, sums, [](auto v, auto s) { return hn::Add(s, v); }, x, before);
}

// sums += (x - mean)^2
void AddSquares(const float* x, const float* mean, float* sums, size_t count) {
  const float* before = sums;
  map(
      count, sums,
      [](auto v, auto m, auto s) {
        const auto centred = hn::Sub(v, m);
        return hn::MulAdd(centred, centred, s);
      },
      x, mean, before);
}

// sums += dy * (x - mean)
void AddProducts(const float* x, const float* dy, const float* mean,
                 float* sums, size_t count) {
  const float* before = sums;
  map(
      count, sums,
      [](auto v, auto g, auto m, auto s) {
        return hn::MulAdd(g, hn::Sub(v, m), s);
      },
      x, dy, mean, before);
}

// y = (x - mean) * factor + bias; `numbers` holds mean, factor, bias, one row
// each.
void Normalise(const float* x, const float* numbers, float* y, size_t count) {
  map(
      count, y,
      [](auto v, auto m, auto f, auto b) {
        return hn::MulAdd(hn::Sub(v, m), f, b);
      },
      x, numbers, numbers + count, numbers + 2 * count);
}

// dx = factor * (dy - constant - (x - mean) * slope), or dx += it. `numbers`
// holds mean, factor, constant, slope, one row each.
void NormaliseBackward(const float* x, const float* dy, const float* numbers,
                       bool accumulate, std::span<float> dx) {
  const size_t count = dx.size();
  map_into(
      accumulate, count, dx.data(),
      [](auto v, auto g, auto mean, auto factor, auto constant, auto slope) {
        const auto flat = hn::Sub(g, constant);
        return hn::Mul(factor, hn::NegMulAdd(hn::Sub(v, mean), slope, flat));
      },
      x, dy, numbers, numbers + count, numbers + 2 * count,
      numbers + 3 * count);
}

}  // namespace HWY_NAMESPACE
}  // namespace fovea::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
namespace {

HWY_EXPORT(AddRow);
HWY_EXPORT(AddSquares);
HWY_EXPORT(AddProducts);
HWY_EXPORT(Normalise);
HWY_EXPORT(NormaliseBackward);

constexpr int64_t kBlock = 256;  // rows whose sum is taken in float

// add(row, sums) for all rows; the sums of blocks are added up in double, in
// their order: one number a column.
template <class Add>
void sum_rows(int64_t rows, const Scratch<double>& total, Add add) {
  const auto cols = static_cast<int64_t>(total.size());
  const int64_t blocks = (rows + kBlock - 1) / kBlock;
  const Scratch<float> partial(blocks * cols);
  parallel_for(blocks, 1 + (1 << 15) / (kBlock * (cols + 1)),
               [&](int64_t first, int64_t last) {
                 for (int64_t block = first; block < last; ++block) {
                   float* sums = &partial[block * cols];
                   std::fill_n(sums, cols, 0.0f);
                   const int64_t end = std::min(rows, (block + 1) * kBlock);
                   for (int64_t i = block * kBlock; i < end; ++i) add(i, sums);
                 }
               });
  std::fill(total.begin(), total.end(), 0.0);
  for (int64_t block = 0; block < blocks; ++block) {
    for (int64_t j = 0; j < cols; ++j) total[j] += partial[block * cols + j];
  }
}

template <class Fn>
void for_rows(ConstMatrixView x, Fn fn) {
  parallel_for(x.rows, 1 + (1 << 15) / (x.cols + 1),
               [&](int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; ++i) fn(i);
               });
}

}  // namespace

void column_statistics(ConstMatrixView x, std::span<float> mean,
                       std::span<float> variance) {
  const double rows = static_cast<double>(std::max<int64_t>(1, x.rows));
  const Scratch<double> sums(x.cols);
  sum_rows(x.rows, sums, [&](int64_t i, float* to) {
    HWY_DYNAMIC_DISPATCH(AddRow)(x.row(i), to, x.cols);
  });
  for (int64_t j = 0; j < x.cols; ++j) {
    mean[j] = static_cast<float>(sums[j] / rows);
  }
  const Scratch<double> squares(x.cols);
  sum_rows(x.rows, squares, [&](int64_t i, float* to) {
    HWY_DYNAMIC_DISPATCH(AddSquares)(x.row(i), mean.data(), to, x.cols);
  });
  for (int64_t j = 0; j < x.cols; ++j) {
    // The mean was rounded to float: take out what that adds to the squares.
    const double off = sums[j] / rows - double{mean[j]};
    variance[j] =
        static_cast<float>(std::max(0.0, squares[j] / rows - off * off));
  }
}

void normalise_columns(ConstMatrixView x, const ColumnNorm& norm,
                       MatrixView y) {
  const int64_t n = x.cols;
  const Scratch<float> numbers(3 * n);
  for (int64_t j = 0; j < n; ++j) {
    numbers[j] = norm.mean[j];
    numbers[n + j] = norm.inverse[j] * (norm.gain.empty() ? 1 : norm.gain[j]);
    numbers[2 * n + j] = norm.bias.empty() ? 0.0f : norm.bias[j];
  }
  for_rows(x, [&](int64_t i) {
    HWY_DYNAMIC_DISPATCH(Normalise)(x.row(i), numbers.data(), y.row(i), n);
  });
}

void column_norm_sums(ConstMatrixView x, ConstMatrixView dy,
                      const ColumnNorm& norm, std::span<float> dgain,
                      std::span<float> dbias) {
  assert(x.rows == dy.rows && x.cols == dy.cols);
  const Scratch<double> sums(x.cols);
  sum_rows(x.rows, sums, [&](int64_t i, float* to) {
    HWY_DYNAMIC_DISPATCH(AddRow)(dy.row(i), to, x.cols);
  });
  const Scratch<double> products(x.cols);
  sum_rows(x.rows, products, [&](int64_t i, float* to) {
    HWY_DYNAMIC_DISPATCH(AddProducts)
    (x.row(i), dy.row(i), norm.mean.data(), to, x.cols);
  });
  for (int64_t j = 0; j < x.cols; ++j) {
    dbias[j] = static_cast<float>(sums[j]);
    dgain[j] = static_cast<float>(products[j] * norm.inverse[j]);
  }
}

void normalise_columns_backward(ConstMatrixView x, ConstMatrixView dy,
                                const ColumnNorm& norm,
                                const ColumnNormGradient& gradient,
                                MatrixView dx) {
  const int64_t n = x.cols;
  const float rows = static_cast<float>(std::max<int64_t>(1, x.rows));
  const Scratch<float> numbers(4 * n);
  for (int64_t j = 0; j < n; ++j) {
    const float inverse = norm.inverse[j];
    numbers[j] = norm.mean[j];
    numbers[n + j] = inverse * (norm.gain.empty() ? 1.0f : norm.gain[j]);
    const bool constant = gradient.dgain.empty();
    numbers[2 * n + j] = constant ? 0.0f : gradient.dbias[j] / rows;
    numbers[3 * n + j] = constant ? 0.0f : inverse * gradient.dgain[j] / rows;
  }
  for_rows(x, [&](int64_t i) {
    HWY_DYNAMIC_DISPATCH(NormaliseBackward)
    (x.row(i), dy.row(i), numbers.data(), gradient.accumulate,
     {dx.row(i), static_cast<size_t>(n)});
  });
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
