#include "fovea/kernels/adafactor.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "fovea/base/parallel.h"
#include "fovea/tensor/allocator.h"

// Highway compiles the part below once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/adafactor.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "fovea/kernels/loop-inl.h"

#ifndef FOVEA_ADAFACTOR_ONCE
#define FOVEA_ADAFACTOR_ONCE
namespace fovea::kernels {

struct RowStep {
  float factor, keep;
};

}  // namespace fovea::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

float SumSquares(const float* x, size_t count) {
  return sum_over(
      count, [](auto v) { return hn::Mul(v, v); }, x);
}

// cols += g^2; returns the sum of g^2.
float AddSquares(const float* g, float* cols, size_t count) {
  const auto add = [](auto x, auto sum) { return hn::MulAdd(x, x, sum); };
  const float* sums = cols;
  map(count, cols, add, g, sums);
  return SumSquares(g, count);
}

// Sum of (g * factor)^2.
float SquaredUpdate(const float* g, const float* factors, size_t count) {
  const auto square = [](auto x, auto f) {
    const auto u = hn::Mul(x, f);
    return hn::Mul(u, u);
  };
  return sum_over(count, square, g, factors);
}

// p = keep * p - factor * g * factors
void Apply(const float* g, const float* factors, RowStep by, float* p,
           size_t count) {
  const auto row = hn::Set(kFloats, by.factor);
  const auto keep = hn::Set(kFloats, by.keep);
  const auto step = [=](auto old, auto x, auto f) {
    return hn::NegMulAdd(hn::Mul(row, x), f, hn::Mul(keep, old));
  };
  const float* before = p;
  map(count, p, step, before, g, factors);
}

}  // namespace HWY_NAMESPACE
}  // namespace fovea::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
namespace {

HWY_EXPORT(AddSquares);
HWY_EXPORT(SumSquares);
HWY_EXPORT(SquaredUpdate);
HWY_EXPORT(Apply);

// A vector, one row, is cut into rows of at most this many: all sums are then
// over rows, and the columns do not share their second moment.
constexpr int64_t kPart = 4096;

// Rows that the passes below work on, each with its place in the parameter.
struct Layout {
  int64_t rows, cols, size;
  bool factored;
  explicit Layout(const AdafactorTensor& t)
      : rows(t.param.rows),
        cols(t.param.cols),
        size(rows * cols),
        factored(rows > 1) {
    assert(t.param.stride == cols && !(factored && t.rows.empty()));
    assert(static_cast<int64_t>(t.grad.size()) == size);
    assert(static_cast<int64_t>(t.cols.size()) == cols);
    if (!factored) {
      rows = (size + kPart - 1) / kPart;
      cols = kPart;
    }
  }
  int64_t begin(int64_t row) const { return row * cols; }
  int64_t width(int64_t row) const { return std::min(cols, size - begin(row)); }
  // First of the column numbers that belong to the row.
  int64_t column(int64_t row) const { return factored ? 0 : begin(row); }

  template <class Fn>
  void for_rows(Fn fn) const {
    parallel_for(rows, 1 + (1 << 15) / std::max<int64_t>(1, cols),
                 [&](int64_t first, int64_t last) {
                   for (int64_t i = first; i < last; ++i) fn(i);
                 });
  }
};

double sum_of(const Scratch<double>& x) {
  double sum = 0;
  for (double v : x) sum += v;
  return sum;
}

// Squares of a matrix: `col_sums` by column, `row_sums` by row. Rows are taken
// in a fixed number of parts, so that the threads do not matter.
void sum_squares(const AdafactorTensor& t, const Layout& layout,
                 const Scratch<double>& row_sums,
                 const Scratch<double>& col_sums) {
  const int64_t parts = std::min<int64_t>(layout.rows, 16), n = layout.cols;
  const Scratch<float> partial(parts * n);
  parallel_for(parts, 1, [&](int64_t first, int64_t last) {
    for (int64_t part = first; part < last; ++part) {
      float* sums = &partial[part * n];
      std::fill_n(sums, n, 0.0f);
      const int64_t end = layout.rows * (part + 1) / parts;
      for (int64_t i = layout.rows * part / parts; i < end; ++i) {
        row_sums[i] = HWY_DYNAMIC_DISPATCH(AddSquares)(&t.grad[i * n], sums, n);
      }
    }
  });
  for (int64_t j = 0; j < n; ++j) {
    col_sums[j] = 0;
    for (int64_t part = 0; part < parts; ++part) {
      col_sums[j] += partial[part * n + j];
    }
  }
}

// 1/sqrt of the running second moments: of each row relative to their mean,
// and of each column.
struct Factors {
  Scratch<float> rows, cols;
};

// How a step changes a running mean of squared gradients.
struct Change {
  double keep, square, epsilon;  // `square` scales the squares
  float operator()(float running, double mean_square) const {
    const double fresh = square * mean_square + epsilon;
    return static_cast<float>(keep * running + (1.0 - keep) * fresh);
  }
};

void update_factored(const AdafactorTensor& t, const Layout& layout,
                     const Change& change, const Factors& factors) {
  const Scratch<double> row_sums(layout.rows), col_sums(layout.cols);
  sum_squares(t, layout, row_sums, col_sums);
  const double m = static_cast<double>(layout.rows);
  const double n = static_cast<double>(layout.cols);
  double mean = 0;
  for (int64_t i = 0; i < layout.rows; ++i) {
    t.rows[i] = change(t.rows[i], row_sums[i] / n);
    mean += t.rows[i] / m;
  }
  for (int64_t i = 0; i < layout.rows; ++i) {
    factors.rows[i] = static_cast<float>(std::sqrt(mean / t.rows[i]));
  }
  for (int64_t j = 0; j < layout.cols; ++j) {
    t.cols[j] = change(t.cols[j], col_sums[j] / m);
    factors.cols[j] = static_cast<float>(1.0 / std::sqrt(double{t.cols[j]}));
  }
}

void update_full(const AdafactorTensor& t, const Layout& layout,
                 const Change& change, const Factors& factors) {
  std::fill(factors.rows.begin(), factors.rows.end(), 1.0f);
  layout.for_rows([&](int64_t row) {
    const int64_t end = layout.begin(row) + layout.width(row);
    for (int64_t i = layout.begin(row); i < end; ++i) {
      const double g = t.grad[i];
      t.cols[i] = change(t.cols[i], g * g);
      factors.cols[i] = static_cast<float>(1.0 / std::sqrt(double{t.cols[i]}));
    }
  });
}

void step_one(const AdafactorTensor& t, const Step& step,
              const AdafactorOptions& options) {
  const Layout layout(t);
  if (layout.size == 0) return;
  const double keep = 1.0 - std::pow(static_cast<double>(step.number),
                                     -double{options.decay_power});
  const double scale = step.grad_scale;
  const Factors factors{Scratch<float>(layout.rows),
                        Scratch<float>(t.cols.size())};
  const auto update = layout.factored ? update_factored : update_full;
  update(t, layout, {keep, scale * scale, options.epsilon}, factors);

  const Scratch<double> updates(layout.rows), params(layout.rows);
  layout.for_rows([&](int64_t i) {
    const float* g = &t.grad[layout.begin(i)];
    const float* f = &factors.cols[layout.column(i)];
    const int64_t n = layout.width(i);
    const double row = factors.rows[i];
    updates[i] = row * row * HWY_DYNAMIC_DISPATCH(SquaredUpdate)(g, f, n);
    params[i] =
        HWY_DYNAMIC_DISPATCH(SumSquares)(t.param.data + layout.begin(i), n);
  });
  const double size = static_cast<double>(layout.size);
  const double update_rms = std::abs(scale) * std::sqrt(sum_of(updates) / size);
  const double param_rms = std::sqrt(sum_of(params) / size);
  double rate = step.rate / std::max(1.0, update_rms / options.clip);
  if (options.scale_by_param) {
    rate *= std::max<double>(options.scale_floor, param_rms);
  }
  const float shrink = t.decays ? 1.0f - step.rate * step.weight_decay : 1.0f;
  layout.for_rows([&](int64_t i) {
    HWY_DYNAMIC_DISPATCH(Apply)
    (&t.grad[layout.begin(i)], &factors.cols[layout.column(i)],
     {static_cast<float>(rate * scale * factors.rows[i]), shrink},
     t.param.data + layout.begin(i), layout.width(i));
  });
}

}  // namespace

void adafactor(std::span<const AdafactorTensor> tensors, const Step& step,
               const AdafactorOptions& options) {
  for (const AdafactorTensor& t : tensors) step_one(t, step, options);
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
