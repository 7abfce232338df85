#include "fovea/kernels/topk.h"

#include <algorithm>
#include <cassert>
#include <limits>

#include "fovea/base/parallel.h"
#include "fovea/tensor/allocator.h"

// Highway compiles the part below once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/topk.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "fovea/kernels/candidates-inl.h"
#include "fovea/kernels/loop-inl.h"

#ifndef FOVEA_TOPK_ONCE
#define FOVEA_TOPK_ONCE
namespace fovea::kernels {

// The best so far, in order. Elements are offered by rising index.
class Shortlist {
 public:
  Shortlist(int k, float* values, int* indices)
      : k_(k), values_(values), indices_(indices) {
    std::fill_n(values_, k, -std::numeric_limits<float>::infinity());
    std::fill_n(indices_, k, -1);
  }
  bool full() const { return size_ == k_; }
  // What a new one must exceed, once the list is full.
  float threshold() const { return values_[k_ - 1]; }

  void offer(float value, int index) {
    if (value != value) value = -std::numeric_limits<float>::infinity();
    if (full() && !(value > threshold())) return;
    int at = full() ? k_ - 1 : size_++;
    for (; at > 0 && values_[at - 1] < value; --at) {
      values_[at] = values_[at - 1];
      indices_[at] = indices_[at - 1];
    }
    values_[at] = value;
    indices_[at] = index;
  }

 private:
  int k_, size_ = 0;
  float* values_;
  int* indices_;
};

}  // namespace fovea::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
constexpr Floats d;

// Offers those lanes of x that exceed the threshold.
void offer_lanes(FloatVec x, int index, Shortlist& best) {
  uint8_t bytes[8] = {};
  const auto above = hn::Gt(x, hn::Set(d, best.threshold()));
  hn::StoreMaskBits(d, above, bytes);
  HWY_ALIGN float lanes[HWY_MAX_BYTES / sizeof(float)];
  hn::Store(x, d, lanes);
  static_assert(hn::MaxLanes(d) <= 16);
  for (unsigned bits = bytes[0] | bytes[1] << 8; bits != 0; bits &= bits - 1) {
    const int lane = __builtin_ctz(bits);
    best.offer(lanes[lane], index + lane);
  }
}

// Most vectors hold nothing good enough: eight are refused by one comparison.
void Scan(const float* x, size_t count, float bias, int first,
          Shortlist& best) {
  const size_t lanes = hn::Lanes(d);
  const auto shift = hn::Set(d, bias);
  const auto load = [&](size_t i) {
    return hn::Add(hn::LoadU(d, x + i), shift);
  };
  size_t i = 0;
  for (; i < count && !best.full(); ++i) {
    best.offer(x[i] + bias, first + static_cast<int>(i));
  }
  for (; i + 8 * lanes <= count; i += 8 * lanes) {
    auto m0 = hn::Max(load(i), load(i + lanes));
    auto m1 = hn::Max(load(i + 2 * lanes), load(i + 3 * lanes));
    m0 = hn::Max(hn::Max(load(i + 4 * lanes), load(i + 5 * lanes)), m0);
    m1 = hn::Max(hn::Max(load(i + 6 * lanes), load(i + 7 * lanes)), m1);
    const auto above = hn::Gt(hn::Max(m0, m1), hn::Set(d, best.threshold()));
    if (hn::AllFalse(d, above)) continue;
    for (size_t j = i; j < i + 8 * lanes; j += lanes) {
      offer_lanes(load(j), first + static_cast<int>(j), best);
    }
  }
  for (; i < count; ++i) best.offer(x[i] + bias, first + static_cast<int>(i));
}

// y = x for the k largest, minus infinity for the others.
void KeepRow(const float* x, int64_t count, int k, float* y) {
  const Scratch<float> memory(Candidates::room(k));
  Candidates best(k, memory.data());
  best.offer(x, static_cast<int>(count), 0);
  const int kept = best.finish();
  std::fill_n(y, count, -std::numeric_limits<float>::infinity());
  for (int i = 0; i < kept; ++i) y[best.indices()[i]] = best.values()[i];
}

}  // namespace HWY_NAMESPACE
}  // namespace fovea::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
namespace {

HWY_EXPORT(Scan);
HWY_EXPORT(KeepRow);

// Finds the best of all rows of x and writes them as group g.
void best_of_rows(ConstMatrixView x, const float* bias, int64_t g,
                  const TopK& best) {
  Shortlist list(best.k, &best.values[g * best.k], &best.indices[g * best.k]);
  for (int64_t i = 0; i < x.rows; ++i) {
    HWY_DYNAMIC_DISPATCH(Scan)
    (x.row(i), x.cols, bias ? bias[i] : 0.0f, static_cast<int>(i * x.cols),
     list);
  }
}

constexpr int64_t kGrain = 1 << 15;  // elements that are worth a thread

}  // namespace

void topk(ConstMatrixView x, const TopK& best) {
  assert(best.k >= 1 && best.k <= kMostTopK);
  assert(best.values.size() == static_cast<size_t>(x.rows * best.k));
  assert(best.indices.size() == best.values.size());
  const int64_t grain = 1 + kGrain / std::max<int64_t>(1, x.cols);
  parallel_for(x.rows, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      best_of_rows(x.row_range(i, i + 1), nullptr, i, best);
    }
  });
}

void topk_groups(ConstMatrixView x, std::span<const int> groups,
                 std::span<const float> bias, const TopK& best) {
  assert(best.k >= 1 && best.k <= kMostTopK);
  const int64_t count = static_cast<int64_t>(groups.size()) - 1;
  assert(count >= 0 && groups.back() <= x.rows);
  assert(best.values.size() == static_cast<size_t>(count * best.k));
  assert(best.indices.size() == best.values.size());
  const int64_t size = x.rows * x.cols / std::max<int64_t>(1, count);
  parallel_for(count, 1 + kGrain / (size + 1), [&](int64_t begin, int64_t end) {
    for (int64_t g = begin; g < end; ++g) {
      best_of_rows(x.row_range(groups[g], groups[g + 1]),
                   bias.empty() ? nullptr : &bias[groups[g]], g, best);
    }
  });
}

void keep_topk(const float* x, const RaggedRows& rows, int k, float* y) {
  assert(k >= 1);
  for_rows(rows, [&](int64_t at, int64_t count) {
    if (k >= count) return void(std::copy_n(x + at, count, y + at));
    HWY_DYNAMIC_DISPATCH(KeepRow)(x + at, count, k, y + at);
  });
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
