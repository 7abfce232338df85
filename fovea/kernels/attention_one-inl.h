// The scores of one query, for the part of a kernel that Highway compiles once
// for each instruction set. A step of decoding has one query for each
// hypothesis: packing the keys for it would cost more than the product. They
// are turned in registers instead, for several heads at once, since the chain
// of one has to wait for every addition. The chains are those of tile().

// Highway's include guard: once for each instruction set.
#if defined(FOVEA_KERNELS_ATTENTION_ONE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_KERNELS_ATTENTION_ONE_INL_H_
#undef FOVEA_KERNELS_ATTENTION_ONE_INL_H_
#else
#define FOVEA_KERNELS_ATTENTION_ONE_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "fovea/kernels/attention_pack-inl.h"
#include "fovea/kernels/attention_plan.h"
#include "fovea/kernels/attention_tile-inl.h"
#include "fovea/kernels/view.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels {
namespace HWY_NAMESPACE {
namespace {

constexpr int kHeadsAtOnce = 4;

// Heads side by side, each with `size` columns, a multiple of 4.
struct OneQuery {
  const float* q;     // times query_scale()
  ConstMatrixView k;  // of the sequence
  int64_t size;
};

// The scores of kLanes keys.
template <int kHeads>
HWY_NOINLINE void score_lanes(const float* const* keys, const float* q,
                              int64_t size, Result s) {
  Vector sums[kHeads];
  for (int h = 0; h < kHeads; ++h) sums[h] = hn::Zero(kFloats);
  for (int64_t c = 0; c < size; c += 4) {
    HWY_UNROLL(4)
    for (int h = 0; h < kHeads; ++h) {
      const int64_t at = h * size + c;
      const FourVectors columns = transposed(keys, at);
      sums[h] = hn::MulAdd(hn::Set(kFloats, q[at]), columns.v0, sums[h]);
      sums[h] = hn::MulAdd(hn::Set(kFloats, q[at + 1]), columns.v1, sums[h]);
      sums[h] = hn::MulAdd(hn::Set(kFloats, q[at + 2]), columns.v2, sums[h]);
      sums[h] = hn::MulAdd(hn::Set(kFloats, q[at + 3]), columns.v3, sums[h]);
    }
  }
  for (int h = 0; h < kHeads; ++h) {
    hn::StoreU(sums[h], kFloats, s.from(h, 0).data);
  }
}

// s = q k^T for `heads` (at most kHeadsAtOnce) heads from `head` on, a row for
// each, and the keys base + j for j in `keys`.
HWY_INLINE void score_one(const OneQuery& one, int head, int heads, int base,
                          KeyRange keys, Result s) {
  const int64_t column = head * one.size;
  for (int j = keys.begin / kLanes * kLanes; j < keys.end; j += kLanes) {
    const float* rows[kLanes];
    for (int x = 0; x < kLanes; ++x) {
      rows[x] = one.k.row(base + std::min(j + x, keys.end - 1)) + column;
    }
    with_rows(heads, [&](auto n) {
      score_lanes<std::min<int>(n, kHeadsAtOnce)>(rows, one.q + column,
                                                  one.size, s.from(0, j));
    });
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fovea::kernels
HWY_AFTER_NAMESPACE();

#endif  // FOVEA_KERNELS_ATTENTION_ONE_INL_H_
