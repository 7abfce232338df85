#include <cassert>

#include "fovea/kernels/recurrent.h"
#include "fovea/kernels/recurrent_rows.h"
#include "fovea/kernels/recurrent_steps.h"
#include "fovea/tensor/allocator.h"

// Highway compiles the part below once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/lstm.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "fovea/kernels/loop-inl.h"
#include "fovea/kernels/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <bool kKeep, bool kAdd>
void forward_row(const LstmRow& row, size_t width) {
  const float* s = row.product;
  float* p = row.gates;
  for_lanes(width, [&](auto d, size_t k) HWY_ATTR {
    const auto sum = [&](size_t part) HWY_ATTR {
      const size_t at = part * width + k;
      return hn::Add(hn::LoadU(d, p + at), hn::LoadU(d, s + at));
    };
    const auto i = sigmoid(d, sum(0));
    const auto f = sigmoid(d, sum(1));
    const auto o = sigmoid(d, sum(2));
    const auto g = tanh(d, sum(3));
    auto c = hn::MulAdd(f, hn::LoadU(d, row.c + k), hn::Mul(i, g));
    if constexpr (kAdd) c = hn::Add(c, hn::LoadU(d, row.added + k));
    const auto h = hn::Mul(o, tanh(d, c));
    hn::StoreU(c, d, row.c + k);
    hn::StoreU(h, d, row.h + k);
    hn::StoreU(h, d, row.state + k);
    if constexpr (kKeep) {
      hn::StoreU(i, d, p + k);
      hn::StoreU(f, d, p + width + k);
      hn::StoreU(o, d, p + 2 * width + k);
      hn::StoreU(g, d, p + 3 * width + k);
      hn::StoreU(c, d, row.cell + k);
    }
  });
}

void LstmRowForward(const LstmRow& row, size_t width) {
  if (row.added) {
    row.cell ? forward_row<true, true>(row, width)
             : forward_row<false, true>(row, width);
  } else {
    row.cell ? forward_row<true, false>(row, width)
             : forward_row<false, false>(row, width);
  }
}

template <bool kAdd>
void backward_row(const LstmRowGradient& row, size_t width) {
  float* p = row.gates;
  for_lanes(width, [&](auto d, size_t k) HWY_ATTR {
    const auto one = hn::Set(d, 1.0f);
    const auto i = hn::LoadU(d, p + k);
    const auto f = hn::LoadU(d, p + width + k);
    const auto o = hn::LoadU(d, p + 2 * width + k);
    const auto g = hn::LoadU(d, p + 3 * width + k);
    const auto y = tanh(d, hn::LoadU(d, row.cell + k));
    const auto dh =
        hn::Add(hn::LoadU(d, row.dstate + k), hn::LoadU(d, row.dh + k));
    const auto dy = hn::Mul(dh, o);
    const auto dc =
        hn::MulAdd(dy, hn::NegMulAdd(y, y, one), hn::LoadU(d, row.dc + k));
    if constexpr (kAdd) hn::StoreU(dc, d, row.dadded + k);
    hn::StoreU(hn::Mul(dc, f), d, row.dc + k);
    const auto store = [&](size_t part, auto gradient) HWY_ATTR {
      hn::StoreU(gradient, d, p + part * width + k);
      hn::StoreU(gradient, d, row.dsum + part * width + k);
    };
    const auto slope = [&](auto s) HWY_ATTR { return hn::NegMulAdd(s, s, s); };
    store(0, hn::Mul(hn::Mul(dc, g), slope(i)));
    const auto before = hn::LoadU(d, row.cell_before + k);
    store(1, hn::Mul(hn::Mul(dc, before), slope(f)));
    store(2, hn::Mul(hn::Mul(dh, y), slope(o)));
    store(3, hn::Mul(hn::Mul(dc, i), hn::NegMulAdd(g, g, one)));
  });
}

void LstmRowBackward(const LstmRowGradient& row, size_t width) {
  row.dadded ? backward_row<true>(row, width) : backward_row<false>(row, width);
}

}  // namespace HWY_NAMESPACE
}  // namespace fovea::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
namespace {

HWY_EXPORT(LstmRowForward);
HWY_EXPORT(LstmRowBackward);

void forward_group(const LstmForward& args, const StepGroup& group) {
  const int64_t width = args.states.cols, lanes = group.lanes();
  const Scratch<float> memory(6 * lanes * width);
  const MatrixView h(memory.data(), lanes, width);
  const MatrixView c(h.row(lanes), lanes, width);
  const MatrixView product(c.row(lanes), lanes, 4 * width);
  gather_lanes(group, args.h0, h);
  gather_lanes(group, args.c0, c);
  for (int t = 0; t < group.steps(); ++t) {
    const int active = group.active(t);
    step_product(t == 0 && !args.h0.data, h.row_range(0, active),
                 args.recurrent, product.row_range(0, active));
    for (int j = 0; j < active; ++j) {
      const int64_t row = group.row(j, t);
      lstm_row_forward(
          {.product = product.row(j),
           .gates = args.gates.row(row),
           .c = c.row(j),
           .h = h.row(j),
           .state = args.states.row(row),
           .cell = args.cells.data ? args.cells.row(row) : nullptr},
          width);
    }
  }
  scatter_lanes(group, h, args.last_h);
  scatter_lanes(group, c, args.last_c);
}

void backward_group(const LstmBackward& args, const StepGroup& group,
                    ConstMatrixView c0) {
  const int64_t width = args.cells.cols, lanes = group.lanes();
  const Scratch<float> memory(6 * lanes * width);
  const MatrixView dh(memory.data(), lanes, width);
  const MatrixView dc(dh.row(lanes), lanes, width);
  const MatrixView dsum(dc.row(lanes), lanes, 4 * width);
  gather_lanes(group, args.dlast_h, dh);
  gather_lanes(group, args.dlast_c, dc);
  for (int t = group.steps() - 1; t >= 0; --t) {
    const int active = group.active(t);
    for (int j = 0; j < active; ++j) {
      const int64_t row = group.row(j, t);
      lstm_row_backward({.cell = args.cells.row(row),
                         .cell_before = group.before(args.cells, c0, j, t),
                         .dstate = args.dstates.row(row),
                         .dh = dh.row(j),
                         .dc = dc.row(j),
                         .gates = args.gates.row(row),
                         .dsum = dsum.row(j)},
                        width);
    }
    if (t > 0 || args.dh0.data) {
      args.recurrent.multiply(dsum.row_range(0, active),
                              dh.row_range(0, active));
    }
  }
  scatter_add_lanes(group, dh, args.dh0);
  scatter_add_lanes(group, dc, args.dc0);
}

}  // namespace

void lstm_row_forward(const LstmRow& row, size_t width) {
  HWY_DYNAMIC_DISPATCH(LstmRowForward)(row, width);
}

void lstm_row_backward(const LstmRowGradient& row, size_t width) {
  HWY_DYNAMIC_DISPATCH(LstmRowBackward)(row, width);
}

void lstm_forward(const LstmForward& args) {
  assert(args.gates.cols == 4 * args.states.cols);
  for_each_group(args.time,
                 [&](const StepGroup& group) { forward_group(args, group); });
}

void lstm_backward(const LstmBackward& args) {
  assert(args.gates.cols == 4 * args.cells.cols);
  const ZeroRow zero(args.cells.cols);
  const ConstMatrixView c0 = args.c0.data ? args.c0 : zero.view();
  for_each_group(args.time, [&](const StepGroup& group) {
    backward_group(args, group, c0);
  });
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
