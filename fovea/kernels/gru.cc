#include <cassert>

#include "fovea/kernels/recurrent.h"
#include "fovea/kernels/recurrent_rows.h"
#include "fovea/kernels/recurrent_steps.h"
#include "fovea/tensor/allocator.h"

// Highway compiles the part below once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/gru.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "fovea/kernels/loop-inl.h"
#include "fovea/kernels/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class D, class V>
HWY_INLINE V updated(D, GruUpdate update, V z, V h, V n) {
  return update == GruUpdate::kTakesNew ? hn::MulAdd(z, hn::Sub(n, h), h)
                                        : hn::MulAdd(z, hn::Sub(h, n), n);
}

// Reset after: the whole step.
void GruRowAfter(GruUpdate update, const GruRow& row, size_t width) {
  float* p = row.gates;
  for_lanes(width, [&](auto d, size_t k) HWY_ATTR {
    const auto load = [&](const float* from)
                          HWY_ATTR { return hn::LoadU(d, from + k); };
    const auto z = sigmoid(d, hn::Add(load(p), load(row.product)));
    const auto r =
        sigmoid(d, hn::Add(load(p + width), load(row.product + width)));
    const auto inner = hn::Add(load(row.product_n), load(row.bias));
    const auto n = tanh(d, hn::MulAdd(r, inner, load(p + 2 * width)));
    const auto h = updated(d, update, z, load(row.h), n);
    hn::StoreU(h, d, row.h + k);
    hn::StoreU(h, d, row.state + k);
    if (row.inner) {
      hn::StoreU(z, d, p + k);
      hn::StoreU(r, d, p + width + k);
      hn::StoreU(n, d, p + 2 * width + k);
      hn::StoreU(inner, d, row.inner + k);
    }
  });
}

// Reset before: z and r * h...
void GruRowBeforeGates(const GruRow& row, size_t width) {
  float* p = row.gates;
  for_lanes(width, [&](auto d, size_t k) HWY_ATTR {
    const auto load = [&](const float* from)
                          HWY_ATTR { return hn::LoadU(d, from + k); };
    const auto z = sigmoid(d, hn::Add(load(p), load(row.product)));
    const auto r =
        sigmoid(d, hn::Add(load(p + width), load(row.product + width)));
    const auto reset = hn::Mul(r, load(row.h));
    hn::StoreU(z, d, row.product + k);
    hn::StoreU(reset, d, row.reset + k);
    if (row.inner) {
      hn::StoreU(z, d, p + k);
      hn::StoreU(r, d, p + width + k);
      hn::StoreU(reset, d, row.inner + k);
    }
  });
}

// ...then, with U (r * h), the candidate and the new state.
void GruRowBeforeCandidate(GruUpdate update, const GruRow& row, size_t width) {
  float* p = row.gates + 2 * width;
  for_lanes(width, [&](auto d, size_t k) HWY_ATTR {
    const auto load = [&](const float* from)
                          HWY_ATTR { return hn::LoadU(d, from + k); };
    const auto n = tanh(d, hn::Add(load(p), load(row.product_n)));
    const auto h = updated(d, update, load(row.product), load(row.h), n);
    hn::StoreU(h, d, row.h + k);
    hn::StoreU(h, d, row.state + k);
    if (row.inner) hn::StoreU(n, d, p + k);
  });
}

// Backward of the update: the gradients of what entered z and n, and h's share
// (before what comes through the gates).
template <class V>
struct UpdateGradient {
  V z, n, h;
};

template <class D, class V = hn::Vec<D>>
HWY_INLINE UpdateGradient<V> update_gradient(D d, GruUpdate update,
                                             const GruRowGradient& row,
                                             size_t width, size_t k) {
  const V z = hn::LoadU(d, row.gates + k);
  const V n = hn::LoadU(d, row.gates + 2 * width + k);
  const V before = hn::LoadU(d, row.before + k);
  const V dy = hn::Add(hn::LoadU(d, row.dstate + k), hn::LoadU(d, row.dh + k));
  const V through_z = hn::Mul(dy, z);
  const V around_z = hn::Sub(dy, through_z);
  const bool takes_new = update == GruUpdate::kTakesNew;
  const V difference = takes_new ? hn::Sub(n, before) : hn::Sub(before, n);
  const V dz = hn::Mul(hn::Mul(dy, difference), hn::NegMulAdd(z, z, z));
  const V slope = hn::NegMulAdd(n, n, hn::Set(d, 1.0f));
  const V dn = hn::Mul(takes_new ? through_z : around_z, slope);
  return {dz, dn, takes_new ? around_z : through_z};
}

// Reset after: all that the step's product needs.
void GruRowAfterBackward(GruUpdate update, const GruRowGradient& row,
                         size_t width) {
  float* p = row.gates;
  for_lanes(width, [&](auto d, size_t k) HWY_ATTR {
    const auto grad = update_gradient(d, update, row, width, k);
    const auto r = hn::LoadU(d, p + width + k);
    const auto inner = hn::LoadU(d, row.inner + k);
    const auto dr = hn::Mul(hn::Mul(grad.n, inner), hn::NegMulAdd(r, r, r));
    const auto dinner = hn::Mul(grad.n, r);
    hn::StoreU(grad.h, d, row.dh + k);
    hn::StoreU(grad.z, d, p + k);
    hn::StoreU(dr, d, p + width + k);
    hn::StoreU(grad.n, d, p + 2 * width + k);
    hn::StoreU(dinner, d, row.inner + k);
    hn::StoreU(grad.z, d, row.dsum + k);
    hn::StoreU(dr, d, row.dsum + width + k);
    hn::StoreU(dinner, d, row.dsum + 2 * width + k);
  });
}

// Reset before: what the candidate's product needs...
void GruRowBeforeCandidateBackward(GruUpdate update, const GruRowGradient& row,
                                   size_t width) {
  float* p = row.gates;
  for_lanes(width, [&](auto d, size_t k) HWY_ATTR {
    const auto grad = update_gradient(d, update, row, width, k);
    hn::StoreU(grad.h, d, row.dh + k);
    hn::StoreU(grad.z, d, p + k);
    hn::StoreU(grad.n, d, p + 2 * width + k);
    hn::StoreU(grad.z, d, row.dsum + k);
    hn::StoreU(grad.n, d, row.dn + k);
  });
}

// ...then, with the gradient of r * h, what the product of z and r needs.
void GruRowBeforeGatesBackward(const GruRowGradient& row, size_t width) {
  float* p = row.gates + width;
  for_lanes(width, [&](auto d, size_t k) HWY_ATTR {
    const auto r = hn::LoadU(d, p + k);
    const auto dreset = hn::LoadU(d, row.dreset + k);
    const auto dh = hn::LoadU(d, row.dh + k);
    const auto before = hn::LoadU(d, row.before + k);
    const auto dr = hn::Mul(hn::Mul(dreset, before), hn::NegMulAdd(r, r, r));
    hn::StoreU(hn::MulAdd(dreset, r, dh), d, row.dh + k);
    hn::StoreU(dr, d, p + k);
    hn::StoreU(dr, d, row.dsum + width + k);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace fovea::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
namespace {

HWY_EXPORT(GruRowAfter);
HWY_EXPORT(GruRowBeforeGates);
HWY_EXPORT(GruRowBeforeCandidate);
HWY_EXPORT(GruRowAfterBackward);
HWY_EXPORT(GruRowBeforeCandidateBackward);
HWY_EXPORT(GruRowBeforeGatesBackward);

// The memory of a group, forward: one row for each lane.
struct Lanes {
  explicit Lanes(int64_t lanes, int64_t width)
      : memory(5 * lanes * width),
        h(memory.data(), lanes, width),
        reset(h.row(lanes), lanes, width),
        product(reset.row(lanes), lanes, 3 * width) {}
  Scratch<float> memory;
  MatrixView h, reset, product;
};

GruRow row_of(const GruForward& args, const Lanes& lanes, int lane,
              int64_t row) {
  const int64_t width = args.states.cols;
  return {.product = lanes.product.row(lane),
          .product_n = lanes.product.row(lane) + 2 * width,
          .bias = args.candidate_bias.data(),
          .gates = args.gates.row(row),
          .reset = lanes.reset.row(lane),
          .h = lanes.h.row(lane),
          .state = args.states.row(row),
          .inner = args.inner.data ? args.inner.row(row) : nullptr};
}

template <class Fn>
void for_each_row(const StepGroup& group, int step, Fn fn) {
  const int active = group.active(step);
  for (int j = 0; j < active; ++j) fn(j, group.row(j, step));
}

void step_before(const GruForward& args, const StepGroup& group,
                 const Lanes& lanes, int t) {
  const int64_t width = args.states.cols, active = group.active(t);
  const bool zero = t == 0 && !args.h0.data;
  const MatrixView product = lanes.product.row_range(0, active);
  step_product(zero, lanes.h.row_range(0, active), args.recurrent,
               product.col_range(0, 2 * width));
  for_each_row(group, t, [&](int j, int64_t row) {
    HWY_DYNAMIC_DISPATCH(GruRowBeforeGates)
    (row_of(args, lanes, j, row), width);
  });
  step_product(zero, lanes.reset.row_range(0, active), args.candidate,
               product.col_range(2 * width, 3 * width));
  for_each_row(group, t, [&](int j, int64_t row) {
    HWY_DYNAMIC_DISPATCH(GruRowBeforeCandidate)
    (args.variant.update, row_of(args, lanes, j, row), width);
  });
}

void step_after(const GruForward& args, const StepGroup& group,
                const Lanes& lanes, int t) {
  const int64_t width = args.states.cols, active = group.active(t);
  step_product(t == 0 && !args.h0.data, lanes.h.row_range(0, active),
               args.recurrent, lanes.product.row_range(0, active));
  for_each_row(group, t, [&](int j, int64_t row) {
    HWY_DYNAMIC_DISPATCH(GruRowAfter)
    (args.variant.update, row_of(args, lanes, j, row), width);
  });
}

void forward_group(const GruForward& args, const StepGroup& group) {
  const Lanes lanes(group.lanes(), args.states.cols);
  gather_lanes(group, args.h0, lanes.h);
  for (int t = 0; t < group.steps(); ++t) {
    args.variant.reset == GruReset::kBefore ? step_before(args, group, lanes, t)
                                            : step_after(args, group, lanes, t);
  }
  scatter_lanes(group, lanes.h, args.last);
}

// The memory of a group, backward.
struct GradientLanes {
  explicit GradientLanes(int64_t lanes, int64_t width)
      : memory(6 * lanes * width),
        dh(memory.data(), lanes, width),
        dn(dh.row(lanes), lanes, width),
        dreset(dn.row(lanes), lanes, width),
        dsum(dreset.row(lanes), lanes, 3 * width) {}
  Scratch<float> memory;
  MatrixView dh, dn, dreset, dsum;
};

GruRowGradient gradient_row_of(const GruBackward& args, const StepGroup& group,
                               const GradientLanes& lanes, int lane, int step) {
  const int64_t row = group.row(lane, step);
  return {.before = group.before(args.states, args.h0, lane, step),
          .dstate = args.dstates.row(row),
          .dh = lanes.dh.row(lane),
          .gates = args.gates.row(row),
          .inner = args.inner.row(row),
          .dsum = lanes.dsum.row(lane),
          .dn = lanes.dn.row(lane),
          .dreset = lanes.dreset.row(lane)};
}

// Leaves in lanes.dsum what goes back through `recurrent`.
void step_back_before(const GruBackward& args, const StepGroup& group,
                      const GradientLanes& lanes, int t) {
  const int64_t width = args.states.cols, active = group.active(t);
  for_each_row(group, t, [&](int j, int64_t) {
    HWY_DYNAMIC_DISPATCH(GruRowBeforeCandidateBackward)
    (args.variant.update, gradient_row_of(args, group, lanes, j, t), width);
  });
  args.candidate.multiply(lanes.dn.row_range(0, active),
                          lanes.dreset.row_range(0, active));
  for_each_row(group, t, [&](int j, int64_t) {
    HWY_DYNAMIC_DISPATCH(GruRowBeforeGatesBackward)
    (gradient_row_of(args, group, lanes, j, t), width);
  });
}

void step_back_after(const GruBackward& args, const StepGroup& group,
                     const GradientLanes& lanes, int t) {
  for_each_row(group, t, [&](int j, int64_t) {
    HWY_DYNAMIC_DISPATCH(GruRowAfterBackward)
    (args.variant.update, gradient_row_of(args, group, lanes, j, t),
     args.states.cols);
  });
}

void backward_group(const GruBackward& args, const StepGroup& group,
                    bool want_dh0) {
  const bool before = args.variant.reset == GruReset::kBefore;
  const GradientLanes lanes(group.lanes(), args.states.cols);
  const MatrixView dsum =
      lanes.dsum.col_range(0, (before ? 2 : 3) * args.states.cols);
  gather_lanes(group, args.dlast, lanes.dh);
  for (int t = group.steps() - 1; t >= 0; --t) {
    before ? step_back_before(args, group, lanes, t)
           : step_back_after(args, group, lanes, t);
    if (t == 0 && !want_dh0) break;
    const int active = group.active(t);
    args.recurrent.multiply(dsum.row_range(0, active),
                            lanes.dh.row_range(0, active),
                            {.accumulate = true});
  }
  scatter_add_lanes(group, lanes.dh, args.dh0);
}

}  // namespace

void gru_forward(const GruForward& args) {
  assert(args.gates.cols == 3 * args.states.cols);
  const ZeroRow zero(args.states.cols);
  GruForward full = args;
  if (args.candidate_bias.empty()) full.candidate_bias = zero.span();
  for_each_group(args.time,
                 [&](const StepGroup& group) { forward_group(full, group); });
}

void gru_backward(const GruBackward& args) {
  assert(args.gates.cols == 3 * args.states.cols);
  const ZeroRow zero(args.states.cols);
  GruBackward full = args;
  if (!args.h0.data) full.h0 = zero.view();
  for_each_group(args.time, [&](const StepGroup& group) {
    backward_group(full, group, args.dh0.data != nullptr);
  });
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
