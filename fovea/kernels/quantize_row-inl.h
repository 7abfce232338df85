// Rows of floats to 7 bits, for the part of a kernel that Highway compiles once
// for each instruction set: include it after foreach_target.h.

// Highway's include guard: once for each instruction set.
#if defined(FOVEA_KERNELS_QUANTIZE_ROW_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_KERNELS_QUANTIZE_ROW_INL_H_
#undef FOVEA_KERNELS_QUANTIZE_ROW_INL_H_
#else
#define FOVEA_KERNELS_QUANTIZE_ROW_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels {
namespace HWY_NAMESPACE {
namespace quantize_row {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<float, 16>;
using DI = hn::RebindToSigned<D>;
constexpr D d;
constexpr DI di;
using V = hn::Vec<D>;
using VI = hn::Vec<DI>;
constexpr int64_t kLanes = hn::MaxLanes(d);
constexpr int64_t kChunk = 32;

// The largest |x|. Its bits order like the numbers, and put NaN above all.
HWY_INLINE float LargestMagnitude(const float* x, int64_t count) {
  const VI no_sign = hn::Set(di, 0x7fffffff);
  const auto magnitude = [=](const float* from) {
    return hn::And(hn::BitCast(di, hn::LoadU(d, from)), no_sign);
  };
  VI even = hn::Zero(di), odd = hn::Zero(di);
  int64_t i = 0;
  for (; i + 2 * kLanes <= count; i += 2 * kLanes) {
    even = hn::Max(even, magnitude(x + i));
    odd = hn::Max(odd, magnitude(x + i + kLanes));
  }
  for (; i < count; i += kLanes) {
    HWY_ALIGN float rest[kLanes] = {};
    std::copy_n(x + i, std::min<int64_t>(kLanes, count - i), rest);
    even = hn::Max(even, magnitude(rest));
  }
  const int32_t bits = hn::GetLane(hn::MaxOfLanes(di, hn::Max(even, odd)));
  float largest;
  std::memcpy(&largest, &bits, sizeof(largest));
  return largest;
}

// q = 64 + the nearest integer to factor * x, which is at most 63 in magnitude,
// for 32 numbers. A float of 1.5 * 2^23 and more has that integer in its lowest
// bits.
HWY_INLINE void QuantizeChunk(const float* x, V factor, uint8_t* q) {
  constexpr float kNoFractions = 12582912.0f;
  const auto nearest = [=](int64_t i) {
    const V product = hn::Mul(hn::LoadU(d, x + i * kLanes), factor);
    return hn::BitCast(di, hn::Add(product, hn::Set(d, kNoFractions + 64.0f)));
  };
#if HWY_TARGET == HWY_AVX2
  const VI byte = hn::Set(di, 0xff);
  const auto masked = [=](int64_t i) { return hn::And(nearest(i), byte).raw; };
  const __m256i low = _mm256_packs_epi32(masked(0), masked(1));
  const __m256i high = _mm256_packs_epi32(masked(2), masked(3));
  // Packing works in halves of a vector and leaves groups of four shuffled.
  const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
  const __m256i bytes =
      _mm256_permutevar8x32_epi32(_mm256_packus_epi16(low, high), order);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(q), bytes);
#else
  const hn::Rebind<uint8_t, D> bytes;
  for (int64_t i = 0; i < kChunk / kLanes; ++i) {
    const auto lanes = hn::BitCast(hn::RebindToUnsigned<D>(), nearest(i));
    hn::StoreU(hn::TruncateTo(bytes, lanes), bytes, q + i * kLanes);
  }
#endif
}

// One row to 7 bits, `stride` long; returns its scale. What is beyond `count`
// meets weights of 0.
HWY_INLINE float QuantizeRow(const float* x, int64_t count, int64_t stride,
                             uint8_t* q) {
  // A row of zeros must not divide by zero; a NaN stays one.
  const float largest = std::max(LargestMagnitude(x, count), 1e-30f);
  const V factor = hn::Set(d, 63.0f / largest);
  int64_t i = 0;
  for (; i + kChunk <= count; i += kChunk) QuantizeChunk(x + i, factor, q + i);
  if (i < stride) {
    float rest[kChunk] = {};
    uint8_t bytes[kChunk];
    std::copy_n(x + i, count - i, rest);
    QuantizeChunk(rest, factor, bytes);
    std::copy_n(bytes, stride - i, q + i);
  }
  return largest / 63.0f;
}

}  // namespace quantize_row

using quantize_row::QuantizeRow;

}  // namespace HWY_NAMESPACE
}  // namespace fovea::kernels
HWY_AFTER_NAMESPACE();

#endif  // FOVEA_KERNELS_QUANTIZE_ROW_INL_H_
