// Loops over floats for the part of a kernel that Highway compiles once for
// each instruction set: include it after foreach_target.h. Nothing is read or
// written beyond the end of an array, so threads may own neighbouring parts.

// Highway's include guard: once for each instruction set.
#if defined(FOVEA_KERNELS_LOOP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_KERNELS_LOOP_INL_H_
#undef FOVEA_KERNELS_LOOP_INL_H_
#else
#define FOVEA_KERNELS_LOOP_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels {
namespace HWY_NAMESPACE {

using Floats = hwy::HWY_NAMESPACE::ScalableTag<float>;
using FloatVec = hwy::HWY_NAMESPACE::Vec<Floats>;
constexpr Floats kFloats;

// The first `count` floats, fewer than a vector holds; the other lanes are 0.
// Highway's MaskedLoad reads beyond the array on SSE4.
HWY_INLINE FloatVec load_first(const float* from, size_t count) {
  namespace hn = hwy::HWY_NAMESPACE;
#if HWY_TARGET <= HWY_AVX2
  return hn::MaskedLoad(hn::FirstN(kFloats, count), kFloats, from);
#else
  HWY_ALIGN float lanes[HWY_MAX_BYTES / sizeof(float)] = {};
  for (size_t i = 0; i < count; ++i) lanes[i] = from[i];
  return hn::Load(kFloats, lanes);
#endif
}

HWY_INLINE void store_first(FloatVec v, float* to, size_t count) {
  namespace hn = hwy::HWY_NAMESPACE;
#if HWY_TARGET <= HWY_AVX2
  hn::BlendedStore(v, hn::FirstN(kFloats, count), kFloats, to);
#else
  HWY_ALIGN float lanes[HWY_MAX_BYTES / sizeof(float)];
  hn::Store(v, kFloats, lanes);
  for (size_t i = 0; i < count; ++i) to[i] = lanes[i];
#endif
}

// A whole vector, or its first `count` lanes.
template <bool kWhole>
HWY_INLINE FloatVec load_some(const float* from, size_t count) {
  if constexpr (kWhole) return hwy::HWY_NAMESPACE::LoadU(kFloats, from);
  return load_first(from, count);
}

template <bool kWhole>
HWY_INLINE void store_some(FloatVec v, float* to, size_t count) {
  if constexpr (kWhole) {
    return hwy::HWY_NAMESPACE::StoreU(v, kFloats, to);
  }
  store_first(v, to, count);
}

// Calls full(i) for every whole vector at i, then rest(i, n) if the last n
// floats do not fill one.
template <class Full, class Rest>
HWY_INLINE void for_vectors(size_t count, Full full, Rest rest) {
  const size_t lanes = hwy::HWY_NAMESPACE::Lanes(kFloats);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) full(i);
  if (i < count) rest(i, count - i);
}

// Calls body(d, i) for every whole vector at i, then with vectors of one lane
// for what is left: the same code and the same bits, for loops over many arrays
// at once.
template <class Body>
HWY_INLINE void for_lanes(size_t count, const Body& body) {
  const hwy::HWY_NAMESPACE::CappedTag<float, 1> one;
  const size_t lanes = hwy::HWY_NAMESPACE::Lanes(kFloats);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) body(kFloats, i);
  for (; i < count; ++i) body(one, i);
}

// Calls columns(vectors, whole, i, n) for blocks of columns: `vectors` of
// kVectors or of 1 from i on, of n = Lanes each, and then, not whole, the last
// n columns that fill none. Both come as constants.
template <int kVectors, class Columns>
HWY_INLINE void for_columns(int64_t count, const Columns& columns) {
  const int64_t lanes = hwy::HWY_NAMESPACE::Lanes(kFloats);
  const std::true_type whole;
  int64_t i = 0;
  for (; i + kVectors * lanes <= count; i += kVectors * lanes) {
    columns(std::integral_constant<int, kVectors>(), whole, i, lanes);
  }
  const std::integral_constant<int, 1> one;
  for (; i + lanes <= count; i += lanes) columns(one, whole, i, lanes);
  if (i < count) columns(one, std::false_type(), i, count - i);
}

// out[i] = fn(i, in[i]...) where i is the index of the first lane; out may be
// one of the inputs.
template <class Fn, class... In>
HWY_INLINE void map_indexed(size_t count, float* out, Fn fn, const In*... in) {
  namespace hn = hwy::HWY_NAMESPACE;
  for_vectors(
      count,
      [&](size_t i) {
        hn::StoreU(fn(i, hn::LoadU(kFloats, in + i)...), kFloats, out + i);
      },
      [&](size_t i, size_t n) {
        store_first(fn(i, load_first(in + i, n)...), out + i, n);
      });
}

// out[i] = fn(in[i]...); out may be one of the inputs.
template <class Fn, class... In>
HWY_INLINE void map(size_t count, float* out, Fn fn, const In*... in) {
  map_indexed(
      count, out, [&](size_t, auto... v) { return fn(v...); }, in...);
}

// out[i] = fn(in[i]...), or out[i] += it.
template <class Fn, class... In>
HWY_INLINE void map_into(bool accumulate, size_t count, float* out, Fn fn,
                         const In*... in) {
  namespace hn = hwy::HWY_NAMESPACE;
  if (accumulate) {
    map(
        count, out, [&](auto old, auto... v) { return hn::Add(old, fn(v...)); },
        static_cast<const float*>(out), in...);
  } else {
    map(count, out, fn, in...);
  }
}

HWY_INLINE float sum_of_lanes(FloatVec v) {
  namespace hn = hwy::HWY_NAMESPACE;
  return hn::GetLane(hn::SumOfLanes(kFloats, v));
}

// The sum of fn(in[i]...). Four sums run side by side; the order of adding
// depends on the count and the vector size alone.
template <class Fn, class... In>
HWY_INLINE float sum_over(size_t count, Fn fn, const In*... in) {
  namespace hn = hwy::HWY_NAMESPACE;
  const size_t lanes = hn::Lanes(kFloats);
  FloatVec s0 = hn::Zero(kFloats), s1 = s0, s2 = s0, s3 = s0;
  size_t i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    s0 = hn::Add(s0, fn(hn::LoadU(kFloats, in + i)...));
    s1 = hn::Add(s1, fn(hn::LoadU(kFloats, in + i + lanes)...));
    s2 = hn::Add(s2, fn(hn::LoadU(kFloats, in + i + 2 * lanes)...));
    s3 = hn::Add(s3, fn(hn::LoadU(kFloats, in + i + 3 * lanes)...));
  }
  for (; i + lanes <= count; i += lanes) {
    s0 = hn::Add(s0, fn(hn::LoadU(kFloats, in + i)...));
  }
  if (i < count) {
    const FloatVec last = fn(load_first(in + i, count - i)...);
    s1 = hn::Add(s1, hn::IfThenElseZero(hn::FirstN(kFloats, count - i), last));
  }
  return sum_of_lanes(hn::Add(hn::Add(s0, s1), hn::Add(s2, s3)));
}

// The largest; minus infinity if there is none.
HWY_INLINE float max_over(const float* x, size_t count) {
  namespace hn = hwy::HWY_NAMESPACE;
  const size_t lanes = hn::Lanes(kFloats);
  float best = -std::numeric_limits<float>::infinity();
  if (count < lanes) {
    for (size_t i = 0; i < count; ++i) best = x[i] > best ? x[i] : best;
    return best;
  }
  FloatVec m0 = hn::LoadU(kFloats, x), m1 = m0;
  size_t i = 0;
  for (; i + 2 * lanes <= count; i += 2 * lanes) {
    m0 = hn::Max(m0, hn::LoadU(kFloats, x + i));
    m1 = hn::Max(m1, hn::LoadU(kFloats, x + i + lanes));
  }
  if (i + lanes <= count) m0 = hn::Max(m0, hn::LoadU(kFloats, x + i));
  m1 = hn::Max(m1, hn::LoadU(kFloats, x + count - lanes));  // may overlap
  return hn::GetLane(hn::MaxOfLanes(kFloats, hn::Max(m0, m1)));
}

}  // namespace HWY_NAMESPACE
}  // namespace fovea::kernels
HWY_AFTER_NAMESPACE();

#endif  // FOVEA_KERNELS_LOOP_INL_H_
