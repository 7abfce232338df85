#include "fovea/kernels/cross_entropy.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "fovea/base/parallel.h"

// Highway compiles the part below once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/cross_entropy.cc"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "fovea/kernels/loop-inl.h"
#include "fovea/kernels/math-inl.h"

#ifndef FOVEA_CROSS_ENTROPY_ONCE
#define FOVEA_CROSS_ENTROPY_ONCE
namespace fovea::kernels {

// The smoothed target: `right` on one class, `wrong` on the others.
struct SoftTarget {
  double right, wrong;
  int index = 0;  // of the right one
};

// A row is worked on in blocks that stay in the nearest cache, each with its
// own maximum, so that memory is read once before the exponentials are known.
constexpr size_t kMostBlocks = 64;
constexpr size_t kSmallestBlock = 1024;

}  // namespace fovea::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using V = FloatVec;
constexpr Floats d;

struct BlockSums {
  double exps;   // sum of exp(x - max)
  double below;  // sum of x - max
};

template <class Fn>
HWY_INLINE void each4(Fn fn) {
  fn(0);
  fn(1);
  fn(2);
  fn(3);
}

// p = exp(v) for v <= 0, four vectors in step, which keeps the multipliers
// busy. One step of range reduction: the error, 2e-7 + 4e-8 |v| of the result,
// grows where the result is too small to matter. Not normal becomes 0.
HWY_INLINE void exp4(const V* v, V* p) {
  const hn::RebindToSigned<Floats> di;
  const V magic = hn::Set(d, 12582912.0f);  // rounds, as in math-inl.h
  const V log2e = hn::Set(d, 1.44269504f);
  V bits[4], f[4];
  each4([&](int k) { bits[k] = hn::MulAdd(v[k], log2e, magic); });
  each4([&](int k) { f[k] = hn::Sub(bits[k], magic); });
  each4([&](int k) { f[k] = hn::MulSub(v[k], log2e, f[k]); });
  // 2^f for |f| <= 1/2, minimax.
  constexpr float kC[] = {0.00132764725f, 0.00967554096f, 0.0555071309f,
                          0.240221202f,   0.693146944f,   1.0f};
  each4([&](int k) {
    p[k] = hn::MulAdd(f[k], hn::Set(d, kC[0]), hn::Set(d, kC[1]));
  });
  each4([&](int k) { p[k] = hn::MulAdd(f[k], p[k], hn::Set(d, kC[2])); });
  each4([&](int k) { p[k] = hn::MulAdd(f[k], p[k], hn::Set(d, kC[3])); });
  each4([&](int k) { p[k] = hn::MulAdd(f[k], p[k], hn::Set(d, kC[4])); });
  each4([&](int k) { p[k] = hn::MulAdd(f[k], p[k], hn::Set(d, kC[5])); });
  each4([&](int k) {
    const auto n = hn::ShiftLeft<23>(hn::BitCast(di, bits[k]));
    p[k] = hn::BitCast(d, hn::Add(hn::BitCast(di, p[k]), n));
  });
  each4([&](int k) {
    const auto tiny = hn::Lt(v[k], hn::Set(d, -87.0f));
    p[k] = hn::IfThenZeroElse(tiny, p[k]);
  });
}

// x[i] becomes exp(x[i] - max) where kStore.
template <bool kStore>
BlockSums exps_of(float* x, size_t count, float max) {
  const size_t lanes = hn::Lanes(d);
  const V top = hn::Set(d, max);
  V exps0 = hn::Zero(d), exps1 = exps0, below0 = exps0, below1 = exps0;
  V v[4], e[4];
  const auto sum_up = [&] {
    exp4(v, e);
    exps0 = hn::Add(exps0, hn::Add(e[0], e[1]));
    exps1 = hn::Add(exps1, hn::Add(e[2], e[3]));
    below0 = hn::Add(below0, hn::Add(v[0], v[1]));
    below1 = hn::Add(below1, hn::Add(v[2], v[3]));
  };
  size_t i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    each4([&](int k) { v[k] = hn::Sub(hn::LoadU(d, x + i + k * lanes), top); });
    sum_up();
    if (kStore) each4([&](int k) { hn::StoreU(e[k], d, x + i + k * lanes); });
  }
  double exps = sum_of_lanes(hn::Add(exps0, exps1));
  double below = sum_of_lanes(hn::Add(below0, below1));
  for (; i < count; i += lanes) {
    const size_t n = std::min(lanes, count - i);
    const auto in = hn::FirstN(d, n);
    each4([&](int k) { v[k] = hn::Sub(load_first(x + i, n), top); });
    exp4(v, e);
    exps += sum_of_lanes(hn::IfThenElseZero(in, e[0]));
    below += sum_of_lanes(hn::IfThenElseZero(in, v[0]));
    if (kStore) store_first(e[0], x + i, n);
  }
  return {exps, below};
}

// x = x * factor - shift; fetches `next`, as long, on the way: the memory is
// idle here.
void scale_shift(float* x, size_t count, float factor, float shift,
                 const float* next) {
  const size_t lanes = hn::Lanes(d);
  const V f = hn::Set(d, factor), s = hn::Set(d, shift);
  size_t i = 0;
  for (; i + 2 * lanes <= count; i += 2 * lanes) {
    if (next) hwy::Prefetch(next + i);
    hn::StoreU(hn::MulSub(f, hn::LoadU(d, x + i), s), d, x + i);
    hn::StoreU(hn::MulSub(f, hn::LoadU(d, x + i + lanes), s), d, x + i + lanes);
  }
  for (; i < count; i += lanes) {
    const size_t n = std::min(lanes, count - i);
    store_first(hn::MulSub(f, load_first(x + i, n), s), x + i, n);
  }
}

// The loss of a row of V logits; with kGradient the row becomes its gradient.
template <bool kGradient>
RowLoss row_loss(float* row, size_t classes, SoftTarget q, float scale,
                 const float* next) {
  const double target_logit = row[q.index];
  float maxima[kMostBlocks];
  BlockSums sums[kMostBlocks];
  const size_t block =
      std::max(kSmallestBlock, (classes / kMostBlocks + 16) & ~size_t{15});
  size_t blocks = 0;
  double max = std::numeric_limits<float>::lowest();
  for (size_t i = 0; i < classes; i += block, ++blocks) {
    const size_t count = std::min(block, classes - i);
    // Not -infinity, or -infinity minus the maximum were not a number.
    maxima[blocks] = std::max(std::numeric_limits<float>::lowest(),
                              max_over(row + i, count));
    sums[blocks] = exps_of<kGradient>(row + i, count, maxima[blocks]);
    max = std::max<double>(max, maxima[blocks]);
  }
  double exps = 0, below = 0;
  for (size_t b = 0; b < blocks; ++b) {
    const size_t count = std::min(block, classes - b * block);
    const double lower = maxima[b] - max;
    exps += sums[b].exps * std::exp(lower);
    below += sums[b].below + lower * static_cast<double>(count);
  }
  const double log_sum = std::log(exps);
  RowLoss loss{.counted = true, .correct = target_logit >= max};
  loss.nll = static_cast<float>(log_sum - (target_logit - max));
  // The weights of q sum to 1, so that the maximum may be taken out.
  double cost = log_sum - (q.right - q.wrong) * (target_logit - max);
  if (q.wrong != 0) cost -= q.wrong * below;
  loss.loss = static_cast<float>(cost);
  if constexpr (kGradient) {
    const float shift = static_cast<float>(q.wrong * scale);
    for (size_t b = 0; b < blocks; ++b) {
      const size_t i = b * block, count = std::min(block, classes - i);
      const double factor = std::exp(maxima[b] - max) / exps * scale;
      scale_shift(row + i, count, static_cast<float>(factor), shift,
                  next ? next + i : nullptr);
    }
    row[q.index] -= static_cast<float>((q.right - q.wrong) * scale);
  }
  return loss;
}

void Loss(const float* row, size_t classes, SoftTarget q, RowLoss& loss) {
  loss = row_loss<false>(const_cast<float*>(row), classes, q, 1.0f, nullptr);
}

void LossWithGradient(MatrixView logits, std::span<const int> targets,
                      SoftTarget q, const CrossEntropyOptions& options,
                      std::span<RowLoss> losses) {
  for (int64_t i = 0; i < logits.rows; ++i) {
    float* row = logits.row(i);
    if (targets[i] == options.ignore) {
      std::fill_n(row, logits.cols, 0.0f);
      losses[i] = {};
      continue;
    }
    const float* next = i + 1 < logits.rows ? logits.row(i + 1) : nullptr;
    q.index = targets[i];
    losses[i] = row_loss<true>(row, logits.cols, q, options.scale, next);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace fovea::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
namespace {

HWY_EXPORT(Loss);
HWY_EXPORT(LossWithGradient);

SoftTarget soft_target(const CrossEntropyOptions& options, int64_t classes) {
  const double eps = classes > 1 ? options.smoothing : 0.0;
  if (options.form == Smoothing::kAllClasses) {
    const double each = eps / static_cast<double>(classes);
    return {1.0 - eps + each, each};
  }
  return {1.0 - eps, classes > 1 ? eps / static_cast<double>(classes - 1) : 0};
}

int64_t rows_worth_a_thread(int64_t classes) {
  return 1 + (1 << 14) / std::max<int64_t>(1, classes);
}

}  // namespace

void cross_entropy(ConstMatrixView logits, std::span<const int> targets,
                   std::span<RowLoss> losses,
                   const CrossEntropyOptions& options) {
  assert(targets.size() == static_cast<size_t>(logits.rows));
  assert(losses.size() == targets.size());
  const SoftTarget q = soft_target(options, logits.cols);
  parallel_for(logits.rows, rows_worth_a_thread(logits.cols),
               [&](int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; ++i) {
                   losses[i] = {};
                   if (targets[i] == options.ignore) continue;
                   HWY_DYNAMIC_DISPATCH(Loss)
                   (logits.row(i), logits.cols, {q.right, q.wrong, targets[i]},
                    losses[i]);
                 }
               });
}

void cross_entropy_with_gradient(MatrixView logits,
                                 std::span<const int> targets,
                                 std::span<RowLoss> losses,
                                 const CrossEntropyOptions& options) {
  assert(targets.size() == static_cast<size_t>(logits.rows));
  assert(losses.size() == targets.size());
  const SoftTarget q = soft_target(options, logits.cols);
  parallel_for(logits.rows, rows_worth_a_thread(logits.cols),
               [&](int64_t begin, int64_t end) {
                 HWY_DYNAMIC_DISPATCH(LossWithGradient)
                 (logits.row_range(begin, end),
                  targets.subspan(begin, end - begin), q, options,
                  losses.subspan(begin, end - begin));
               });
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
