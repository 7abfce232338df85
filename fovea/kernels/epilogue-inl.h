// Activations on vectors, for the part of a kernel that Highway compiles once
// for each instruction set: include it after foreach_target.h.

// Highway's include guard: once for each instruction set.
#if defined(FOVEA_KERNELS_EPILOGUE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_KERNELS_EPILOGUE_INL_H_
#undef FOVEA_KERNELS_EPILOGUE_INL_H_
#else
#define FOVEA_KERNELS_EPILOGUE_INL_H_
#endif

#include <hwy/highway.h>

#include "fovea/kernels/epilogue.h"
#include "fovea/kernels/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels {
namespace HWY_NAMESPACE {

// The tanh form: x/2 * (1 + tanh u) = x * sigmoid(2u) with
// u = sqrt(2/pi) * (x + 0.044715 x^3) (Hendrycks and Gimpel 2016).
constexpr float kGeluScale = 1.5957691216f;  // 2 sqrt(2/pi)
constexpr float kGeluCubic = 0.044715f;

template <class D, class V = hwy::HWY_NAMESPACE::Vec<D>>
HWY_INLINE V gelu_gate(D d, V x) {
  namespace hn = hwy::HWY_NAMESPACE;
  const V slope =
      hn::MulAdd(hn::Set(d, kGeluCubic), hn::Mul(x, x), hn::Set(d, 1.0f));
  return sigmoid(d, hn::Mul(hn::Mul(hn::Set(d, kGeluScale), x), slope));
}

// fn(op) where op(v) is the activation on one vector: the choice is made once,
// outside the caller's loop.
template <class D, class Fn>
HWY_INLINE void with_activation(D d, Activation activation, Fn fn) {
  namespace hn = hwy::HWY_NAMESPACE;
  using V = hn::Vec<D>;
  switch (activation) {
    case Activation::kNone:
      return fn([](V v) { return v; });
    case Activation::kRelu:  // in this order a NaN stays one
      return fn([=](V v) { return hn::Max(hn::Zero(d), v); });
    case Activation::kGelu:
      return fn([=](V v) { return hn::Mul(v, gelu_gate(d, v)); });
    case Activation::kTanh:
      return fn([=](V v) { return tanh(d, v); });
    case Activation::kSigmoid:
      return fn([=](V v) { return sigmoid(d, v); });
  }
}

// c = activation(c + bias) on columns that fill whole vectors.
template <class D>
HWY_INLINE void finish_panels(D d, MatrixView c, const float* bias,
                              Activation activation) {
  namespace hn = hwy::HWY_NAMESPACE;
  if (bias == nullptr && activation == Activation::kNone) return;
  with_activation(d, activation, [&](auto op) {
    for (int64_t r = 0; r < c.rows; ++r) {
      float* y = c.row(r);
      for (int64_t i = 0; i < c.cols; i += hn::Lanes(d)) {
        auto v = hn::LoadU(d, y + i);
        if (bias != nullptr) v = hn::Add(v, hn::LoadU(d, bias + i));
        hn::StoreU(op(v), d, y + i);
      }
    }
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace fovea::kernels
HWY_AFTER_NAMESPACE();

#endif  // FOVEA_KERNELS_EPILOGUE_INL_H_
