#include "fovea/kernels/optim.h"

#include <cassert>
#include <cmath>

#include "fovea/kernels/many.h"

// Highway compiles the part below once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/optim.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "fovea/kernels/loop-inl.h"

#ifndef FOVEA_OPTIM_ONCE
#define FOVEA_OPTIM_ONCE
namespace fovea::kernels {

// A part of a tensor and its decay.
struct OptimPiece {
  float* param;
  const float* grad;
  float* state[3];
  size_t count;
  float weight_decay;
};

// Numbers that a rule works out once a step, in double.
struct AdamNumbers {
  float beta1, beta2, step_size, second_scale, epsilon, rate;
  bool decoupled, amsgrad;
};

}  // namespace fovea::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using V = FloatVec;
constexpr Floats d;

// fn(param, grad, state) changes param and the first kStates of state; the tail
// goes through the same code, so a result does not depend on where a piece
// begins.
template <int kStates, class Fn>
void walk(const OptimPiece& piece, float grad_scale, Fn fn) {
  const auto scale = hn::Set(d, grad_scale);
  const auto each = [&](size_t i, auto load, auto store) {
    V p = load(piece.param + i);
    V s[3] = {hn::Zero(d), hn::Zero(d), hn::Zero(d)};
    for (int k = 0; k < kStates; ++k) s[k] = load(piece.state[k] + i);
    fn(p, hn::Mul(scale, load(piece.grad + i)), s);
    store(p, piece.param + i);
    for (int k = 0; k < kStates; ++k) store(s[k], piece.state[k] + i);
  };
  for_vectors(
      piece.count,
      [&](size_t i) {
        each(
            i, [](const float* x) { return hn::LoadU(d, x); },
            [](V v, float* x) { hn::StoreU(v, d, x); });
      },
      [&](size_t i, size_t n) {
        each(
            i, [n](const float* x) { return load_first(x, n); },
            [n](V v, float* x) { store_first(v, x, n); });
      });
}

// running * keep + x * (1 - keep)
V mix(V running, V x, float keep) {
  return hn::MulAdd(hn::Set(d, keep), running,
                    hn::Mul(hn::Set(d, 1.0f - keep), x));
}

template <bool kAmsgrad>
void adam_rule(const OptimPiece& piece, float grad_scale,
               const AdamNumbers& n) {
  const auto l2 = hn::Set(d, n.decoupled ? 0.0f : piece.weight_decay);
  const auto shrink =
      hn::Set(d, n.decoupled ? 1.0f - n.rate * piece.weight_decay : 1.0f);
  const auto step_size = hn::Set(d, n.step_size);
  const auto second_scale = hn::Set(d, n.second_scale);
  const auto epsilon = hn::Set(d, n.epsilon);
  const auto beta1 = n.beta1, beta2 = n.beta2;
  walk<kAmsgrad ? 3 : 2>(piece, grad_scale, [=](V& p, V g, V* s) {
    g = hn::MulAdd(l2, p, g);
    s[0] = mix(s[0], g, beta1);
    s[1] = mix(s[1], hn::Mul(g, g), beta2);
    V second = s[1];
    if constexpr (kAmsgrad) second = s[2] = hn::Max(s[2], s[1]);
    const auto under = hn::MulAdd(hn::Sqrt(second), second_scale, epsilon);
    p = hn::NegMulAdd(hn::Div(s[0], under), step_size, hn::Mul(p, shrink));
  });
}

void Adam(const OptimPiece& piece, float grad_scale, const AdamNumbers& n) {
  if (n.amsgrad) {
    adam_rule<true>(piece, grad_scale, n);
  } else {
    adam_rule<false>(piece, grad_scale, n);
  }
}

void Sgd(const OptimPiece& piece, const Step& step, const SgdOptions& options) {
  const auto l2 = hn::Set(d, piece.weight_decay);
  const auto rate = hn::Set(d, step.rate);
  const auto momentum = hn::Set(d, options.momentum);
  if (options.momentum == 0.0f) {
    walk<0>(piece, step.grad_scale, [=](V& p, V g, V*) {
      p = hn::NegMulAdd(rate, hn::MulAdd(l2, p, g), p);
    });
    return;
  }
  const bool nesterov = options.nesterov;
  walk<1>(piece, step.grad_scale, [=](V& p, V g, V* s) {
    g = hn::MulAdd(l2, p, g);
    s[0] = hn::MulAdd(momentum, s[0], g);
    const V move = nesterov ? hn::MulAdd(momentum, s[0], g) : s[0];
    p = hn::NegMulAdd(rate, move, p);
  });
}

void Adagrad(const OptimPiece& piece, const Step& step,
             const AdagradOptions& options) {
  const auto l2 = hn::Set(d, piece.weight_decay);
  const auto rate = hn::Set(d, step.rate);
  const auto epsilon = hn::Set(d, options.epsilon);
  walk<1>(piece, step.grad_scale, [=](V& p, V g, V* s) {
    g = hn::MulAdd(l2, p, g);
    s[0] = hn::MulAdd(g, g, s[0]);
    p = hn::NegMulAdd(rate, hn::Div(g, hn::Add(hn::Sqrt(s[0]), epsilon)), p);
  });
}

void Rmsprop(const OptimPiece& piece, const Step& step,
             const RmspropOptions& options) {
  const auto l2 = hn::Set(d, piece.weight_decay);
  const auto rate = hn::Set(d, step.rate);
  const auto epsilon = hn::Set(d, options.epsilon);
  const float decay = options.decay;
  walk<1>(piece, step.grad_scale, [=](V& p, V g, V* s) {
    g = hn::MulAdd(l2, p, g);
    s[0] = mix(s[0], hn::Mul(g, g), decay);
    p = hn::NegMulAdd(rate, hn::Div(g, hn::Add(hn::Sqrt(s[0]), epsilon)), p);
  });
}

void Adadelta(const OptimPiece& piece, const Step& step,
              const AdadeltaOptions& options) {
  const auto l2 = hn::Set(d, piece.weight_decay);
  const auto rate = hn::Set(d, step.rate);
  const auto epsilon = hn::Set(d, options.epsilon);
  const float decay = options.decay;
  walk<2>(piece, step.grad_scale, [=](V& p, V g, V* s) {
    g = hn::MulAdd(l2, p, g);
    s[0] = mix(s[0], hn::Mul(g, g), decay);
    const auto ratio = hn::Div(hn::Add(s[1], epsilon), hn::Add(s[0], epsilon));
    const auto move = hn::Mul(hn::Sqrt(ratio), g);
    s[1] = mix(s[1], hn::Mul(move, move), decay);
    p = hn::NegMulAdd(rate, move, p);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace fovea::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
namespace {

HWY_EXPORT(Adam);
HWY_EXPORT(Sgd);
HWY_EXPORT(Adagrad);
HWY_EXPORT(Rmsprop);
HWY_EXPORT(Adadelta);

template <class Rule>
void step_all(std::span<const OptimTensor> tensors, const Step& step,
              Rule rule) {
  const auto size = [&](size_t i) -> int64_t {
    return tensors[i].param.size();
  };
  over_many(tensors.size(), size, [&](const Piece& piece) {
    const OptimTensor& t = tensors[piece.array];
    assert(t.grad.size() == t.param.size());
    const auto part = [&](std::span<float> s) {
      return s.empty() ? nullptr : s.data() + piece.begin;
    };
    rule(OptimPiece{t.param.data() + piece.begin,
                    t.grad.data() + piece.begin,
                    {part(t.state0), part(t.state1), part(t.state2)},
                    static_cast<size_t>(piece.end - piece.begin),
                    t.decays ? step.weight_decay : 0.0f});
  });
}

}  // namespace

void adam(std::span<const OptimTensor> tensors, const Step& step,
          const AdamOptions& options) {
  // What the running means lack because they began at zero.
  const double t = static_cast<double>(step.number);
  const double correct1 = 1.0 - std::pow(double{options.beta1}, t);
  const double correct2 = 1.0 - std::pow(double{options.beta2}, t);
  const AdamNumbers numbers{options.beta1,
                            options.beta2,
                            static_cast<float>(step.rate / correct1),
                            static_cast<float>(1.0 / std::sqrt(correct2)),
                            options.epsilon,
                            step.rate,
                            options.decoupled,
                            options.amsgrad};
  step_all(tensors, step, [&](const OptimPiece& piece) {
    HWY_DYNAMIC_DISPATCH(Adam)(piece, step.grad_scale, numbers);
  });
}

void sgd(std::span<const OptimTensor> tensors, const Step& step,
         const SgdOptions& options) {
  step_all(tensors, step, [&](const OptimPiece& piece) {
    HWY_DYNAMIC_DISPATCH(Sgd)(piece, step, options);
  });
}

void adagrad(std::span<const OptimTensor> tensors, const Step& step,
             const AdagradOptions& options) {
  step_all(tensors, step, [&](const OptimPiece& piece) {
    HWY_DYNAMIC_DISPATCH(Adagrad)(piece, step, options);
  });
}

void rmsprop(std::span<const OptimTensor> tensors, const Step& step,
             const RmspropOptions& options) {
  step_all(tensors, step, [&](const OptimPiece& piece) {
    HWY_DYNAMIC_DISPATCH(Rmsprop)(piece, step, options);
  });
}

void adadelta(std::span<const OptimTensor> tensors, const Step& step,
              const AdadeltaOptions& options) {
  step_all(tensors, step, [&](const OptimPiece& piece) {
    HWY_DYNAMIC_DISPATCH(Adadelta)(piece, step, options);
  });
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
