// The scores of a few queries, for the part of a kernel that Highway compiles
// once for each instruction set. A step of decoding has one query for each
// hypothesis, or a few over the same source: packing the keys for them would
// cost more than the product. They are turned in registers instead, for several
// heads or queries at once, since the chain of one has to wait for every
// addition. The chains are those of tile().

// Highway's include guard: once for each instruction set.
#if defined(FOVEA_KERNELS_ATTENTION_FEW_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_KERNELS_ATTENTION_FEW_INL_H_
#undef FOVEA_KERNELS_ATTENTION_FEW_INL_H_
#else
#define FOVEA_KERNELS_ATTENTION_FEW_INL_H_
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

constexpr int kChains = 4;

// Chain c is that of the query at q + c * query_step, and of the keys' columns
// from c * key_step on; there are `size` columns, a multiple of 4.
struct Chains {
  const float* q;  // times query_scale()
  int64_t query_step, key_step, size;
};

// The scores of kLanes keys, a row for each chain.
template <int kCount, bool kSameKeys>
HWY_NOINLINE void score_lanes(const float* const* keys, const Chains& chains,
                              Result s) {
  Vector sums[kCount];
  for (int i = 0; i < kCount; ++i) sums[i] = hn::Zero(kFloats);
  for (int64_t c = 0; c < chains.size; c += 4) {
    FourVectors columns = transposed(keys, c);
    HWY_UNROLL(4)
    for (int i = 0; i < kCount; ++i) {
      if (!kSameKeys && i > 0) {
        columns = transposed(keys, i * chains.key_step + c);
      }
      const float* q = chains.q + i * chains.query_step + c;
      sums[i] = hn::MulAdd(hn::Set(kFloats, q[0]), columns.v0, sums[i]);
      sums[i] = hn::MulAdd(hn::Set(kFloats, q[1]), columns.v1, sums[i]);
      sums[i] = hn::MulAdd(hn::Set(kFloats, q[2]), columns.v2, sums[i]);
      sums[i] = hn::MulAdd(hn::Set(kFloats, q[3]), columns.v3, sums[i]);
    }
  }
  for (int i = 0; i < kCount; ++i) {
    hn::StoreU(sums[i], kFloats, s.from(i, 0).data);
  }
}

// s = q k^T for `count` chains, at most kChains, and the rows `keys` of k.
HWY_INLINE void score_chains(const Chains& chains, int count, ConstMatrixView k,
                             KeyRange keys, Result s) {
  for (int j = keys.begin / kLanes * kLanes; j < keys.end; j += kLanes) {
    const float* rows[kLanes];
    for (int x = 0; x < kLanes; ++x) {
      rows[x] = k.row(std::min(j + x, keys.end - 1));
    }
    with_rows<kChains>(count, [&](auto n) {
      if (chains.key_step == 0) {
        score_lanes<n, true>(rows, chains, s.from(0, j));
      } else {
        score_lanes<n, false>(rows, chains, s.from(0, j));
      }
    });
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fovea::kernels
HWY_AFTER_NAMESPACE();

#endif  // FOVEA_KERNELS_ATTENTION_FEW_INL_H_
