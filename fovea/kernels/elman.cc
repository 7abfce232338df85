#include <cassert>

#include "fovea/kernels/recurrent.h"
#include "fovea/kernels/recurrent_steps.h"
#include "fovea/tensor/allocator.h"

// Highway compiles the part below once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/elman.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "fovea/kernels/loop-inl.h"
#include "fovea/kernels/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

void ElmanRow(const float* pre, const float* product, float* h, float* state,
              size_t width) {
  for_lanes(width, [&](auto d, size_t i) HWY_ATTR {
    const auto sum = hn::Add(hn::LoadU(d, pre + i), hn::LoadU(d, product + i));
    const auto y = tanh(d, sum);
    hn::StoreU(y, d, h + i);
    hn::StoreU(y, d, state + i);
  });
}

// dh: what later steps sent back; dsum and dpre: the same values, twice.
void ElmanRowBackward(const float* state, const float* dstate, const float* dh,
                      float* dsum, float* dpre, size_t width) {
  for_lanes(width, [&](auto d, size_t i) HWY_ATTR {
    const auto y = hn::LoadU(d, state + i);
    const auto dy = hn::Add(hn::LoadU(d, dstate + i), hn::LoadU(d, dh + i));
    const auto dx = hn::Mul(dy, hn::NegMulAdd(y, y, hn::Set(d, 1.0f)));
    hn::StoreU(dx, d, dsum + i);
    hn::StoreU(dx, d, dpre + i);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace fovea::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
namespace {

HWY_EXPORT(ElmanRow);
HWY_EXPORT(ElmanRowBackward);

void forward_group(const ElmanForward& args, const StepGroup& group) {
  const int64_t width = args.states.cols;
  const Scratch<float> memory(2 * group.lanes() * width);
  const MatrixView h(memory.data(), group.lanes(), width);
  const MatrixView product(h.row(group.lanes()), group.lanes(), width);
  gather_lanes(group, args.h0, h);
  for (int t = 0; t < group.steps(); ++t) {
    const int active = group.active(t);
    step_product(t == 0 && !args.h0.data, h.row_range(0, active),
                 args.recurrent, product.row_range(0, active));
    for (int j = 0; j < active; ++j) {
      const int64_t row = group.row(j, t);
      HWY_DYNAMIC_DISPATCH(ElmanRow)
      (args.pre.row(row), product.row(j), h.row(j), args.states.row(row),
       width);
    }
  }
  scatter_lanes(group, h, args.last);
}

void backward_group(const ElmanBackward& args, const StepGroup& group) {
  const int64_t width = args.states.cols;
  const Scratch<float> memory(2 * group.lanes() * width);
  const MatrixView dh(memory.data(), group.lanes(), width);
  const MatrixView dsum(dh.row(group.lanes()), group.lanes(), width);
  gather_lanes(group, args.dlast, dh);
  for (int t = group.steps() - 1; t >= 0; --t) {
    const int active = group.active(t);
    for (int j = 0; j < active; ++j) {
      const int64_t row = group.row(j, t);
      HWY_DYNAMIC_DISPATCH(ElmanRowBackward)
      (args.states.row(row), args.dstates.row(row), dh.row(j), dsum.row(j),
       args.dpre.row(row), width);
    }
    if (t > 0 || args.dh0.data) {
      args.recurrent.multiply(dsum.row_range(0, active),
                              dh.row_range(0, active));
    }
  }
  scatter_add_lanes(group, dh, args.dh0);
}

}  // namespace

void elman_forward(const ElmanForward& args) {
  assert(args.pre.cols == args.states.cols);
  for_each_group(args.time,
                 [&](const StepGroup& group) { forward_group(args, group); });
}

void elman_backward(const ElmanBackward& args) {
  assert(args.dpre.cols == args.states.cols);
  for_each_group(args.time,
                 [&](const StepGroup& group) { backward_group(args, group); });
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
