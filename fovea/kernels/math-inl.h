// exp, sigmoid and tanh on vectors of floats, for the part of a kernel that
// Highway compiles once for each instruction set: include it after
// foreach_target.h. Errors are below 2.5 units in the last place unless a
// function says otherwise; numbers too small to be normal become zero.

// Highway's include guard: once for each instruction set.
#if defined(FOVEA_KERNELS_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_KERNELS_MATH_INL_H_
#undef FOVEA_KERNELS_MATH_INL_H_
#else
#define FOVEA_KERNELS_MATH_INL_H_
#endif

#include <hwy/highway.h>

#include <limits>

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels {
namespace HWY_NAMESPACE {

// x = n ln 2 + r with |r| <= ln(2) / 2: exp(x) = 2^n (1 + expm1(r)).
template <class V>
struct ExpParts {
  V bits;   // n, in the low bits of the float: shift left by 23 for 2^n
  V expm1;  // of r
};

// For |x| < 2^21; a NaN stays one in `expm1`.
template <class D, class V = hwy::HWY_NAMESPACE::Vec<D>>
HWY_INLINE ExpParts<V> exp_parts(D d, V x) {
  namespace hn = hwy::HWY_NAMESPACE;
  // Adding 1.5 * 2^23 rounds to an integer and leaves it in the low bits.
  const V magic = hn::Set(d, 12582912.0f);
  const V bits = hn::MulAdd(x, hn::Set(d, 1.44269504f), magic);
  const V n = hn::Sub(bits, magic);
  // ln 2 in two parts; n times the first one is exact for |n| < 2^9.
  V r = hn::NegMulAdd(n, hn::Set(d, 0.693145752f), x);
  r = hn::NegMulAdd(n, hn::Set(d, 1.42860677e-6f), r);
  // (expm1(r) - r) / r^2, interpolated at Chebyshev nodes; error 1e-8.
  const V r2 = hn::Mul(r, r);
  const V low = hn::MulAdd(r, hn::Set(d, 0.166665763f), hn::Set(d, 0.5f));
  V p = hn::MulAdd(r, hn::Set(d, 0.00139338837f), hn::Set(d, 0.00836333539f));
  p = hn::MulAdd(r, p, hn::Set(d, 0.041666463f));
  p = hn::MulAdd(r2, p, low);
  return {bits, hn::MulAdd(r2, p, r)};
}

// For -87.3 <= x <= 88.7.
template <class D, class V = hwy::HWY_NAMESPACE::Vec<D>>
HWY_INLINE V exp_in_range(D d, V x) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::RebindToSigned<D> di;
  const ExpParts<V> parts = exp_parts(d, x);
  const V y = hn::Add(hn::Set(d, 1.0f), parts.expm1);
  const auto n = hn::ShiftLeft<23>(hn::BitCast(di, parts.bits));
  return hn::BitCast(d, hn::Add(hn::BitCast(di, y), n));
}

template <class D, class V = hwy::HWY_NAMESPACE::Vec<D>>
HWY_INLINE V exp(D d, V x) {
  namespace hn = hwy::HWY_NAMESPACE;
  const V y = exp_in_range(d, x);
  // Too large gives infinity, a NaN stays one.
  const V large =
      hn::Mul(x, hn::Set(d, std::numeric_limits<float>::infinity()));
  const V upper = hn::IfThenElse(hn::Le(x, hn::Set(d, 88.72283f)), y, large);
  return hn::IfThenZeroElse(hn::Lt(x, hn::Set(d, -87.33654f)), upper);
}

// Not below 1.6e-38, which is a normal number.
template <class D, class V = hwy::HWY_NAMESPACE::Vec<D>>
HWY_INLINE V sigmoid(D d, V x) {
  namespace hn = hwy::HWY_NAMESPACE;
  // Min and Max return their second argument when there is a NaN.
  const V limit = hn::Set(d, 87.0f);
  const V t = hn::Max(hn::Neg(limit), hn::Min(limit, hn::Neg(x)));
  const V one = hn::Set(d, 1.0f);
  return hn::Div(one, hn::Add(one, exp_in_range(d, t)));
}

// -e / (e + 2) with e = expm1(-2|x|), which is exact in the small.
template <class D, class V = hwy::HWY_NAMESPACE::Vec<D>>
HWY_INLINE V tanh(D d, V x) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::RebindToSigned<D> di;
  // From 9.02 on the result is 1.
  const V t =
      hn::Mul(hn::Set(d, -2.0f), hn::Min(hn::Set(d, 10.0f), hn::Abs(x)));
  const ExpParts<V> parts = exp_parts(d, t);
  const V one = hn::Set(d, 1.0f);
  const auto n = hn::ShiftLeft<23>(hn::BitCast(di, parts.bits));
  const V scale = hn::BitCast(d, hn::Add(hn::BitCast(di, one), n));
  const V e = hn::MulAdd(scale, parts.expm1, hn::Sub(scale, one));
  const V y = hn::Div(e, hn::Add(e, hn::Set(d, 2.0f)));  // <= 0
  return hn::CopySign(y, x);
}

// tanh at half the cost, where millions of them go into sums: its error is
// below 5e-7, so that it may exceed 1 by as much. x P(x^2) / Q(x^2), fitted to
// a relative error of 2.1e-8 up to 9, where the result is 1.
template <class D, class V = hwy::HWY_NAMESPACE::Vec<D>>
HWY_INLINE V coarse_tanh(D d, V x) {
  namespace hn = hwy::HWY_NAMESPACE;
  // Min and Max return their second argument when there is a NaN.
  const V limit = hn::Set(d, 9.0f);
  x = hn::Max(hn::Neg(limit), hn::Min(limit, x));
  const V y = hn::Mul(x, x);
  V p = hn::Set(d, 1.33607272e-8f);
  p = hn::MulAdd(p, y, hn::Set(d, 2.06138906e-5f));
  p = hn::MulAdd(p, y, hn::Set(d, 0.0034958983f));
  p = hn::MulAdd(p, y, hn::Set(d, 0.133812928f));
  p = hn::MulAdd(p, y, hn::Set(d, 0.99999998f));
  V q = hn::Set(d, 7.77916946e-7f);
  q = hn::MulAdd(q, y, hn::Set(d, 0.000328612953f));
  q = hn::MulAdd(q, y, hn::Set(d, 0.0258781805f));
  q = hn::MulAdd(q, y, hn::Set(d, 0.467146087f));
  q = hn::MulAdd(q, y, hn::Set(d, 1.0f));
  return hn::Div(hn::Mul(x, p), q);
}

}  // namespace HWY_NAMESPACE
}  // namespace fovea::kernels
HWY_AFTER_NAMESPACE();

#endif  // FOVEA_KERNELS_MATH_INL_H_
