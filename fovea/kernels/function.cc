#include "fovea/kernels/function.h"

#include <algorithm>
#include <cassert>
#include <limits>

#include "fovea/base/parallel.h"

// Highway compiles the part below once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/function.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>
// Logarithms; exp and tanh are our own, which are faster.
#include <hwy/contrib/math/math-inl.h>

#include "fovea/kernels/loop-inl.h"
#include "fovea/kernels/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

HWY_INLINE FloatVec constant(float x) { return hn::Set(kFloats, x); }

// Derivatives far out: x times a slope that is almost zero must not grow.
HWY_INLINE FloatVec within_1000(FloatVec x) {
  return hn::Max(constant(-1e3f), hn::Min(constant(1e3f), x));
}

struct Gelu {
  static constexpr float kScale = 0.7978845608f;  // sqrt(2 / pi)
  static constexpr float kCube = 0.044715f;

  static HWY_INLINE FloatVec half_tanh(FloatVec x) {  // (1 + tanh(u)) / 2
    const FloatVec x2 = hn::Mul(x, x);
    const FloatVec u = hn::Mul(hn::Mul(constant(2 * kScale), x),
                               hn::MulAdd(constant(kCube), x2, constant(1.0f)));
    return sigmoid(kFloats, u);  // of 2u
  }
  HWY_INLINE FloatVec operator()(FloatVec x) const {
    return hn::Mul(x, half_tanh(x));
  }
  // s + x s (1 - s) (2u)'
  static HWY_INLINE FloatVec derivative(FloatVec x) {
    x = within_1000(x);
    const FloatVec s = half_tanh(x);
    const FloatVec du = hn::MulAdd(constant(6 * kScale * kCube), hn::Mul(x, x),
                                   constant(2 * kScale));
    const FloatVec slope = hn::Mul(s, hn::Sub(constant(1.0f), s));
    return hn::MulAdd(hn::Mul(x, slope), du, s);
  }
};

struct Relu {
  HWY_INLINE FloatVec operator()(FloatVec x) const {
    return hn::Max(x, hn::Zero(kFloats));
  }
  static HWY_INLINE FloatVec derivative(FloatVec y) {
    return hn::IfThenElseZero(hn::Gt(y, hn::Zero(kFloats)), constant(1.0f));
  }
};

struct Tanh {
  HWY_INLINE FloatVec operator()(FloatVec x) const { return tanh(kFloats, x); }
  static HWY_INLINE FloatVec derivative(FloatVec y) {
    return hn::NegMulAdd(y, y, constant(1.0f));
  }
};

struct Sigmoid {
  HWY_INLINE FloatVec operator()(FloatVec x) const {
    return sigmoid(kFloats, x);
  }
  static HWY_INLINE FloatVec derivative(FloatVec y) {
    return hn::NegMulAdd(y, y, y);
  }
};

struct Silu {
  HWY_INLINE FloatVec operator()(FloatVec x) const {
    return hn::Mul(x, sigmoid(kFloats, x));
  }
  static HWY_INLINE FloatVec derivative(FloatVec x) {
    x = within_1000(x);
    const FloatVec s = sigmoid(kFloats, x);
    return hn::MulAdd(hn::Mul(x, s), hn::Sub(constant(1.0f), s), s);
  }
};

struct Softplus {
  HWY_INLINE FloatVec operator()(FloatVec x) const {
    const FloatVec e = exp(kFloats, hn::Neg(hn::Abs(x)));
    return hn::Add(hn::Max(x, hn::Zero(kFloats)), hn::Log1p(kFloats, e));
  }
  static HWY_INLINE FloatVec derivative(FloatVec x) {
    return sigmoid(kFloats, x);
  }
};

struct Exp {
  HWY_INLINE FloatVec operator()(FloatVec x) const { return exp(kFloats, x); }
  static HWY_INLINE FloatVec derivative(FloatVec y) { return y; }
};

struct Log {
  HWY_INLINE FloatVec operator()(FloatVec x) const {
    // Highway's is for normal positive numbers only.
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    const FloatVec y =
        hn::IfThenElse(hn::Lt(x, constant(kInfinity)), hn::Log(kFloats, x), x);
    const FloatVec zero = hn::Zero(kFloats);
    return hn::IfThenElse(hn::Gt(x, zero), y,
                          hn::IfThenElse(hn::Eq(x, zero), constant(-kInfinity),
                                         hn::NaN(kFloats)));
  }
  static HWY_INLINE FloatVec derivative(FloatVec x) {
    return hn::Div(constant(1.0f), x);
  }
};

// Calls body(functor) for the functor of f.
template <class Body>
HWY_INLINE void with_function(Function f, Body body) {
  switch (f) {
    case Function::kRelu:
      return body(Relu());
    case Function::kGelu:
      return body(Gelu());
    case Function::kTanh:
      return body(Tanh());
    case Function::kSigmoid:
      return body(Sigmoid());
    case Function::kSilu:
      return body(Silu());
    case Function::kSoftplus:
      return body(Softplus());
    case Function::kExp:
      return body(Exp());
    case Function::kLog:
      return body(Log());
  }
}

void Apply(Function f, const float* x, float* y, size_t count) {
  with_function(f, [&](auto fn) { map(count, y, fn, x); });
}

void ApplyBackward(Function f, const float* kept, const float* dy, float* dx,
                   size_t count, bool accumulate) {
  with_function(f, [&](auto fn) {
    map_into(
        accumulate, count, dx,
        [&](FloatVec v, FloatVec dv) { return hn::Mul(dv, fn.derivative(v)); },
        kept, dy);
  });
}

void GluRow(const float* x, size_t cols, float* y) {
  map(
      cols, y,
      [](FloatVec a, FloatVec b) { return hn::Mul(a, sigmoid(kFloats, b)); }, x,
      x + cols);
}

void GluRowBackward(const float* x, const float* dy, size_t cols, float* dx,
                    bool accumulate) {
  map_into(
      accumulate, cols, dx,
      [](FloatVec b, FloatVec dv) { return hn::Mul(dv, sigmoid(kFloats, b)); },
      x + cols, dy);
  map_into(
      accumulate, cols, dx + cols,
      [](FloatVec a, FloatVec b, FloatVec dv) {
        const FloatVec s = sigmoid(kFloats, b);
        return hn::Mul(hn::Mul(dv, a), hn::NegMulAdd(s, s, s));
      },
      x, x + cols, dy);
}

void Maxout(const float* x, float* y, size_t count) {
  const size_t lanes = hn::Lanes(kFloats);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    FloatVec a, b;
    hn::LoadInterleaved2(kFloats, x + 2 * i, a, b);
    hn::StoreU(hn::Max(a, b), kFloats, y + i);
  }
  for (; i < count; ++i) y[i] = std::max(x[2 * i], x[2 * i + 1]);
}

}  // namespace HWY_NAMESPACE
}  // namespace fovea::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
namespace {

constexpr int64_t kGrain = 1 << 13;  // elements that are worth a thread

HWY_EXPORT(Apply);
HWY_EXPORT(ApplyBackward);
HWY_EXPORT(GluRow);
HWY_EXPORT(GluRowBackward);
HWY_EXPORT(Maxout);

int64_t row_grain(int64_t cols) {
  return std::max<int64_t>(1, kGrain / std::max<int64_t>(1, cols));
}

}  // namespace

void apply(Function f, std::span<const float> x, std::span<float> y) {
  assert(x.size() == y.size());
  parallel_for(x.size(), kGrain, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(Apply)(f, &x[begin], &y[begin], end - begin);
  });
}

bool derivative_uses_result(Function f) {
  return f == Function::kRelu || f == Function::kTanh ||
         f == Function::kSigmoid || f == Function::kExp;
}

void apply_backward(Function f, std::span<const float> kept,
                    std::span<const float> dy, std::span<float> dx,
                    bool accumulate) {
  assert(kept.size() == dy.size() && kept.size() == dx.size());
  parallel_for(kept.size(), kGrain, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(ApplyBackward)
    (f, &kept[begin], &dy[begin], &dx[begin], end - begin, accumulate);
  });
}

void glu(ConstMatrixView x, MatrixView y) {
  assert(x.rows == y.rows && x.cols == 2 * y.cols);
  parallel_for(x.rows, row_grain(x.cols), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      HWY_DYNAMIC_DISPATCH(GluRow)(x.row(i), y.cols, y.row(i));
    }
  });
}

void glu_backward(ConstMatrixView x, ConstMatrixView dy, MatrixView dx,
                  bool accumulate) {
  assert(x.rows == dy.rows && x.cols == 2 * dy.cols);
  assert(x.rows == dx.rows && x.cols == dx.cols);
  parallel_for(x.rows, row_grain(x.cols), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      HWY_DYNAMIC_DISPATCH(GluRowBackward)
      (x.row(i), dy.row(i), dy.cols, dx.row(i), accumulate);
    }
  });
}

void maxout(std::span<const float> x, std::span<float> y) {
  assert(x.size() == 2 * y.size());
  parallel_for(y.size(), kGrain, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(Maxout)(&x[2 * begin], &y[begin], end - begin);
  });
}

void maxout_backward(std::span<const float> x, std::span<const float> dy,
                     std::span<float> dx, bool accumulate) {
  assert(x.size() == 2 * dy.size() && x.size() == dx.size());
  parallel_for(dy.size(), kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const bool first = x[2 * i] >= x[2 * i + 1];
      const float to_first = first ? dy[i] : 0.0f;
      const float to_second = first ? 0.0f : dy[i];
      dx[2 * i] = accumulate ? dx[2 * i] + to_first : to_first;
      dx[2 * i + 1] = accumulate ? dx[2 * i + 1] + to_second : to_second;
    }
  });
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
