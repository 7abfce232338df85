// Finds the k largest of many numbers, for the part of a kernel that Highway
// compiles once for each instruction set.

// Highway's include guard: once for each instruction set.
#if defined(FOVEA_KERNELS_CANDIDATES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_KERNELS_CANDIDATES_INL_H_
#undef FOVEA_KERNELS_CANDIDATES_INL_H_
#else
#define FOVEA_KERNELS_CANDIDATES_INL_H_
#endif

#include <hwy/highway.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "fovea/kernels/first_lanes.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels {
namespace HWY_NAMESPACE {
namespace {

// The k largest of the numbers offered so far and some others, by rising index.
// Numbers are offered by rising index, so that of equal ones the first stays;
// minus infinity and NaN are never kept. Now and then the k largest are sorted
// out, which costs less a number than to keep them in order. What is kept
// depends on the numbers alone. Its memory belongs to the caller.
class Candidates {
  using D = hwy::HWY_NAMESPACE::CappedTag<float, 8>;
  using V = hwy::HWY_NAMESPACE::Vec<D>;
  using Ints = hwy::HWY_NAMESPACE::RebindToSigned<D>;
  static constexpr int kMost = 8;  // lanes

 public:
  // Words of memory.
  static constexpr size_t room(int k) { return 2 * capacity(k); }

  Candidates(int k, float* memory)
      : k_(k),
        values_(memory),
        indices_(reinterpret_cast<int32_t*>(memory + capacity(k))) {}

  // Offers x[i] with the index first + i.
  HWY_INLINE void offer(const float* x, int count, int first) {
    namespace hn = hwy::HWY_NAMESPACE;
    constexpr int kStep = static_cast<int>(hn::MaxLanes(D()));
    const D d;
    int i = 0;
    for (; i + 4 * kStep <= count; i += 4 * kStep) {
      const V x0 = hn::LoadU(d, x + i), x1 = hn::LoadU(d, x + i + kStep);
      const V x2 = hn::LoadU(d, x + i + 2 * kStep);
      const V x3 = hn::LoadU(d, x + i + 3 * kStep);
      // Most have nothing that is good enough.
      const V best = hn::Max(hn::Max(x0, x1), hn::Max(x2, x3));
      const V limit = hn::Set(d, threshold_);
      if (hn::AllFalse(d, hn::Gt(best, limit))) continue;
      // Which of them have, a branch would guess wrong too often.
      int size = size_;
      size = put_above(x0, limit, first + i, size);
      size = put_above(x1, limit, first + i + kStep, size);
      size = put_above(x2, limit, first + i + 2 * kStep, size);
      size_ = put_above(x3, limit, first + i + 3 * kStep, size);
      if (size_ >= most()) shrink(k_ + k_ / 4);
    }
    for (; i < count; i += kStep) {
      HWY_ALIGN float rest[kMost];
      for (int j = 0; j < kStep; ++j) {
        rest[j] = i + j < count ? x[i + j] : kNothing;
      }
      const V limit = hn::Set(d, threshold_);
      size_ = put_above(hn::Load(d, rest), limit, first + i, size_);
      if (size_ >= most()) shrink(k_ + k_ / 4);
    }
  }

  // Leaves the k largest, or fewer if fewer came; returns how many.
  HWY_INLINE int finish() {
    if (size_ > k_) shrink(k_);
    return size_;
  }
  const float* values() const { return values_; }
  const int32_t* indices() const { return indices_; }

 private:
  static constexpr float kNothing = -std::numeric_limits<float>::infinity();

  // From `most` on they are sorted out; until then four vectors may come, and a
  // whole one is written behind the last number.
  int most() const { return 3 * k_ + 2 * kMost; }
  static constexpr size_t capacity(int k) { return 3 * size_t(k) + 8 * kMost; }

  // Integers in the order of floats.
  static int64_t order_of(float x) {
    const auto bits = std::bit_cast<int32_t>(x);
    return bits ^ ((bits >> 31) & 0x7fffffff);
  }
  static float value_of(int64_t order) {
    const auto bits = static_cast<int32_t>(order);
    return std::bit_cast<float>(bits ^ ((bits >> 31) & 0x7fffffff));
  }

  // The lanes of a set, as indices. Highway's CompressStore copies its table at
  // every call with GCC 12.
  template <class Mask>
  HWY_INLINE static std::pair<const int32_t*, int> lanes_of(Mask mask) {
    uint8_t bits[8] = {};
    hwy::HWY_NAMESPACE::StoreMaskBits(D(), mask, bits);
    return {kFirstLanes.of[bits[0]], std::popcount(bits[0])};
  }

  // Puts what exceeds the limit behind the first `size`; returns how many there
  // are then.
  HWY_INLINE int put_above(V x, V limit, int index, int size) const {
    namespace hn = hwy::HWY_NAMESPACE;
    const D d;
    const Ints di;
    const auto [lanes, count] = lanes_of(hn::Gt(x, limit));
    const auto indices = hn::Add(hn::Set(di, index), hn::Load(di, lanes));
    hn::StoreU(hn::TableLookupLanes(x, hn::SetTableIndices(d, lanes)), d,
               values_ + size);
    hn::StoreU(indices, di, indices_ + size);
    return size + count;
  }

  // Calls fn(values, indices) for vectors of the first numbers; what is behind
  // the last one counts as nothing.
  template <class Fn>
  HWY_INLINE void for_first(int count, const Fn& fn) {
    namespace hn = hwy::HWY_NAMESPACE;
    constexpr int kStep = static_cast<int>(hn::MaxLanes(D()));
    const D d;
    const Ints di;
    hn::StoreU(hn::Set(d, kNothing), d, values_ + count);
    for (int i = 0; i < count; i += kStep) {
      fn(hn::LoadU(d, values_ + i), hn::LoadU(di, indices_ + i));
    }
  }

  HWY_INLINE int count_from(float least) {
    namespace hn = hwy::HWY_NAMESPACE;
    const D d;
    const V limit = hn::Set(d, least), one = hn::Set(d, 1.0f);
    V count = hn::Zero(d);
    for_first(size_, [&](V x, auto) HWY_ATTR {
      count = hn::Add(count, hn::IfThenElseZero(hn::Ge(x, limit), one));
    });
    return static_cast<int>(hn::GetLane(hn::SumOfLanes(d, count)));
  }

  struct Split {
    float least;
    int count;  // that reach it
  };

  // A number that k to `enough` of ours reach; or more, if too many are equal.
  HWY_INLINE Split split(int enough) {
    namespace hn = hwy::HWY_NAMESPACE;
    const D d;
    V top = hn::Set(d, kNothing);
    for_first(size_, [&](V x, auto) HWY_ATTR { top = hn::Max(top, x); });
    int64_t from = order_of(threshold_);
    int64_t to = order_of(hn::GetLane(hn::MaxOfLanes(d, top))) + 1;
    int reach = size_;
    while (to - from > 1 && reach > enough) {
      const int64_t middle = (from + to) >> 1;
      const int count = count_from(value_of(middle));
      if (count < k_) {
        to = middle;
      } else {
        from = middle;
        reach = count;
      }
    }
    return {value_of(from), reach};
  }

  // Leaves k to `enough`.
  HWY_NOINLINE void shrink(int enough) {
    namespace hn = hwy::HWY_NAMESPACE;
    const D d;
    const Ints di;
    const Split at = split(enough);
    threshold_ = at.least;
    if (at.count > enough) return shrink_equal();
    const V limit = hn::Set(d, threshold_);
    // What is written lies before what is still to be read.
    int size = 0;
    for_first(size_, [&](V x, auto index) HWY_ATTR {
      const auto [lanes, count] = lanes_of(hn::Ge(x, limit));
      hn::StoreU(hn::TableLookupLanes(x, hn::SetTableIndices(d, lanes)), d,
                 values_ + size);
      hn::StoreU(hn::TableLookupLanes(index, hn::SetTableIndices(di, lanes)),
                 di, indices_ + size);
      size += count;
    });
    size_ = size;
  }

  // Some of those that equal the threshold find no place: the last ones.
  void shrink_equal() {
    int equal = k_, kept = 0;
    for (int i = 0; i < size_; ++i) equal -= values_[i] > threshold_;
    for (int i = 0; i < size_; ++i) {
      const bool same = values_[i] == threshold_;
      if (!(values_[i] > threshold_ || (same && equal > 0))) continue;
      equal -= same;
      values_[kept] = values_[i];
      indices_[kept++] = indices_[i];
    }
    size_ = kept;
  }

  int k_, size_ = 0;
  float threshold_ = kNothing;
  float* values_;
  int32_t* indices_;
};

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fovea::kernels
HWY_AFTER_NAMESPACE();

#endif  // FOVEA_KERNELS_CANDIDATES_INL_H_
