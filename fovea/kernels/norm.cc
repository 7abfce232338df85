#include "fovea/kernels/norm.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "fovea/base/parallel.h"
#include "fovea/kernels/blocks.h"
#include "fovea/kernels/elementwise.h"
#include "fovea/tensor/allocator.h"

// Highway compiles the part below once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/norm.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "fovea/kernels/loop-inl.h"
#include "fovea/kernels/random-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// sum = x + dropout(f), of the elements from `index` on.
HWY_INLINE void add_dropped(const float* x, const float* f, const Dropout& drop,
                            uint32_t index, size_t cols, float* sum) {
  if (drop.rate == 0.0f) {
    map(
        cols, sum, [](FloatVec a, FloatVec b) { return hn::Add(a, b); }, x, f);
    return;
  }
  const Dropper dropper(drop.rate, drop.key);
  map_indexed(
      cols, sum,
      [&](size_t j, FloatVec a, FloatVec b) {
        return hn::Add(a,
                       dropper(kFloats, b, index + static_cast<uint32_t>(j)));
      },
      x, f);
}

HWY_INLINE void norm_row(const float* x, const NormOptions& options,
                         size_t cols, float* y, float& mean, float& scale) {
  const float n = static_cast<float>(cols);
  mean = 0.0f;
  if (options.kind == NormOptions::Kind::kLayer) {
    mean = sum_over(
               cols, [](FloatVec v) { return v; }, x) /
           n;
  }
  const FloatVec m = hn::Set(kFloats, mean);
  const float squares = sum_over(
      cols,
      [=](FloatVec v) {
        const FloatVec c = hn::Sub(v, m);
        return hn::Mul(c, c);
      },
      x);
  scale = 1.0f / std::sqrt(squares / n + options.epsilon);
  const FloatVec s = hn::Set(kFloats, scale);
  map(
      cols, y,
      [=](FloatVec v, FloatVec g, FloatVec b) {
        return hn::MulAdd(hn::Mul(hn::Sub(v, m), s), g, b);
      },
      x, options.gain.data(), options.bias.data());
}

void NormRows(ConstMatrixView x, const NormOptions& options, MatrixView y,
              const NormStats& stats, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) {
    norm_row(x.row(i), options, x.cols, y.row(i), stats.mean[i],
             stats.scale[i]);
  }
}

void ResidualNormRows(const ResidualNorm& r, const NormOptions& options,
                      const NormStats& stats, int64_t begin, int64_t end) {
  const int64_t cols = r.x.cols;
  for (int64_t i = begin; i < end; ++i) {
    add_dropped(r.x.row(i), r.f.row(i), r.drop, static_cast<uint32_t>(i * cols),
                cols, r.sum.row(i));
    norm_row(r.sum.row(i), options, cols, r.y.row(i), stats.mean[i],
             stats.scale[i]);
  }
}

// The two means of the layer norm's gradient.
struct Means {
  float d, d_xhat;
};

// Adds this row's part to dgain and dbias on the way.
HWY_INLINE Means gain_row(const float* x, const float* dy, const float* gain,
                          FloatVec mean, FloatVec scale, size_t cols,
                          float* dgain, float* dbias) {
  FloatVec sum_d = hn::Zero(kFloats), sum_d_xhat = sum_d;
  const auto step = [&](FloatVec v, FloatVec dv, FloatVec g, FloatVec& dg,
                        FloatVec& db) {
    const FloatVec xhat = hn::Mul(hn::Sub(v, mean), scale);
    const FloatVec d = hn::Mul(dv, g);
    sum_d = hn::Add(sum_d, d);
    sum_d_xhat = hn::MulAdd(d, xhat, sum_d_xhat);
    dg = hn::MulAdd(dv, xhat, dg);
    db = hn::Add(db, dv);
  };
  for_vectors(
      cols,
      [&](size_t j) {
        FloatVec dg = hn::LoadU(kFloats, dgain + j);
        FloatVec db = hn::LoadU(kFloats, dbias + j);
        step(hn::LoadU(kFloats, x + j), hn::LoadU(kFloats, dy + j),
             hn::LoadU(kFloats, gain + j), dg, db);
        hn::StoreU(dg, kFloats, dgain + j);
        hn::StoreU(db, kFloats, dbias + j);
      },
      [&](size_t j, size_t n) {  // dy is 0 beyond the end
        FloatVec dg = load_first(dgain + j, n);
        FloatVec db = load_first(dbias + j, n);
        step(load_first(x + j, n), load_first(dy + j, n),
             load_first(gain + j, n), dg, db);
        store_first(dg, dgain + j, n);
        store_first(db, dbias + j, n);
      });
  const float n = static_cast<float>(cols);
  return {sum_of_lanes(sum_d) / n, sum_of_lanes(sum_d_xhat) / n};
}

// df = dropout(dsum), or df += it, of the elements from `index` on.
HWY_INLINE void drop_row(const float* dsum, const Dropout& drop, uint32_t index,
                         size_t cols, float* df, bool accumulate) {
  const Dropper dropper(drop.rate, drop.key);
  const auto kept = [&](size_t j, FloatVec v) {
    return dropper(kFloats, v, index + static_cast<uint32_t>(j));
  };
  if (accumulate) {
    map_indexed(
        cols, df,
        [&](size_t j, FloatVec old, FloatVec v) {
          return hn::Add(old, kept(j, v));
        },
        static_cast<const float*>(df), dsum);
  } else {
    map_indexed(cols, df, kept, dsum);
  }
}

void NormBackwardRows(const NormBackward& b, const NormOptions& options,
                      const NormStats& stats, int64_t begin, int64_t end,
                      float* dgain, float* dbias) {
  const int64_t cols = b.sum.cols;
  const bool centred = options.kind == NormOptions::Kind::kLayer;
  for (int64_t i = begin; i < end; ++i) {
    const FloatVec mean = hn::Set(kFloats, stats.mean[i]);
    const FloatVec scale = hn::Set(kFloats, stats.scale[i]);
    const Means means = gain_row(b.sum.row(i), b.dy.row(i), options.gain.data(),
                                 mean, scale, cols, dgain, dbias);
    const FloatVec mean_d = hn::Set(kFloats, centred ? means.d : 0.0f);
    const FloatVec mean_d_xhat = hn::Set(kFloats, means.d_xhat);
    float* dsum = b.dsum.row(i);
    map_into(
        b.accumulate, cols, dsum,
        [=](FloatVec v, FloatVec dv, FloatVec g) {
          const FloatVec xhat = hn::Mul(hn::Sub(v, mean), scale);
          const FloatVec d = hn::MulSub(dv, g, mean_d);
          return hn::Mul(scale, hn::NegMulAdd(xhat, mean_d_xhat, d));
        },
        b.sum.row(i), b.dy.row(i), options.gain.data());
    if (b.df.data) {
      drop_row(dsum, b.drop, static_cast<uint32_t>(i * cols), cols, b.df.row(i),
               b.accumulate_f);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace fovea::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
namespace {

constexpr int64_t kGrain = 1 << 14;  // elements that are worth a thread

HWY_EXPORT(NormRows);
HWY_EXPORT(ResidualNormRows);
HWY_EXPORT(NormBackwardRows);

int64_t row_grain(int64_t cols) {
  return std::max<int64_t>(1, kGrain / std::max<int64_t>(1, cols));
}

// The options with a gain and a bias in any case, so that there is one loop.
class Complete {
 public:
  Complete(const NormOptions& options, int64_t cols)
      : defaults_(options.gain.empty() || options.bias.empty() ? 2 * cols : 0),
        options_(options) {
    if (defaults_.size() == 0) return;
    std::fill_n(defaults_.data(), cols, 1.0f);
    std::fill_n(defaults_.data() + cols, cols, 0.0f);
    const size_t n = cols;
    if (options.gain.empty()) options_.gain = {defaults_.data(), n};
    if (options.bias.empty()) options_.bias = {defaults_.data() + cols, n};
  }
  const NormOptions& operator*() const { return options_; }

 private:
  Scratch<float> defaults_;
  NormOptions options_;
};

}  // namespace

void norm(ConstMatrixView x, const NormOptions& options, MatrixView y,
          const NormStats& stats) {
  assert(x.rows == y.rows && x.cols == y.cols);
  assert(static_cast<int64_t>(stats.mean.size()) == x.rows);
  assert(static_cast<int64_t>(stats.scale.size()) == x.rows);
  const Complete complete(options, x.cols);
  parallel_for(x.rows, row_grain(x.cols), [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(NormRows)(x, *complete, y, stats, begin, end);
  });
}

void residual_norm(const ResidualNorm& r, const NormOptions& options,
                   const NormStats& stats) {
  assert(r.x.rows == r.f.rows && r.x.cols == r.f.cols);
  assert(r.x.rows == r.sum.rows && r.x.cols == r.sum.cols);
  assert(r.x.rows == r.y.rows && r.x.cols == r.y.cols);
  const Complete complete(options, r.x.cols);
  parallel_for(r.x.rows, row_grain(r.x.cols), [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(ResidualNormRows)(r, *complete, stats, begin, end);
  });
}

void norm_backward(const NormBackward& b, const NormOptions& options,
                   const NormStats& stats) {
  const int64_t cols = b.sum.cols;
  assert(b.sum.rows == b.dy.rows && cols == b.dy.cols);
  assert(b.sum.rows == b.dsum.rows && cols == b.dsum.cols);
  const Complete complete(options, cols);
  sum_by_blocks(
      b.sum.rows, 2 * cols, 0.0f,
      [&](int64_t begin, int64_t end, float* sums) {
        HWY_DYNAMIC_DISPATCH(NormBackwardRows)
        (b, *complete, stats, begin, end, sums, sums + cols);
      },
      [&](const float* sums) {
        const size_t n = cols;
        if (!b.dgain.empty()) add({sums, n}, b.dgain);
        if (!b.dbias.empty()) add({sums + cols, n}, b.dbias);
      });
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
