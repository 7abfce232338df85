#include "fovea/autograd/recurrent_cell.h"

#include <algorithm>
#include <span>
#include <utility>

#include "fovea/autograd/gather.h"
#include "fovea/autograd/matrix.h"
#include "fovea/base/check.h"
#include "fovea/kernels/gemm.h"
#include "fovea/kernels/reduce.h"

namespace fovea {
namespace {

using kernels::GruReset;
using kernels::MatrixView;
using kernels::PackedMatrix;
using kernels::Precision;
using kernels::QuantizedMatrix;
using kernels::WeightMatrix;

Tensor value_of(const Var& v) { return v ? v.value() : Tensor(); }

using Pack = WeightMatrix (*)(kernels::ConstMatrixView);
WeightMatrix pack_forward(kernels::ConstMatrixView w) {
  return PackedMatrix::from_out_in(w);
}
WeightMatrix pack_int8(kernels::ConstMatrixView w) {
  return QuantizedMatrix::from_out_in(w);
}
WeightMatrix pack_backward(kernels::ConstMatrixView w) {
  return PackedMatrix::from_in_out(w);
}

// All at once, or for the reset before the product in two parts.
PackedRecurrent pack_steps(const Tensor& recurrent, GruReset reset, Pack pack) {
  const MatrixView u = matrix(recurrent);
  const int64_t split = reset == GruReset::kBefore ? 2 * u.cols : u.rows;
  PackedRecurrent packed;
  packed.recurrent = pack(u.row_range(0, split));
  if (split < u.rows) packed.candidate = pack(u.row_range(split, u.rows));
  return packed;
}

PackedRecurrent pack_all(const Tensor& input, const Tensor& recurrent,
                         GruReset reset, Pack pack) {
  PackedRecurrent packed = pack_steps(recurrent, reset, pack);
  packed.input = pack(matrix(input));
  return packed;
}

bool usable(const std::shared_ptr<const RecurrentLoop>& loop) {
  return loop && loop->input;
}

}  // namespace

PackedRecurrent pack_recurrent(const Tensor& input, const Tensor& recurrent,
                               Precision precision) {
  return pack_gru(input, recurrent, GruReset::kAfter, precision);
}

PackedRecurrent pack_gru(const Tensor& input, const Tensor& recurrent,
                         GruReset reset, Precision precision) {
  return pack_all(input, recurrent, reset,
                  precision == Precision::kInt8 ? pack_int8 : pack_forward);
}

std::shared_ptr<const RecurrentLoop> loop_recurrent(const RecurrentWeights& w) {
  return loop_gru(w, GruReset::kAfter);
}

std::shared_ptr<const RecurrentLoop> loop_gru(const RecurrentWeights& w,
                                              GruReset reset) {
  auto loop = std::make_shared<RecurrentLoop>();
  const Tensor &input = w.input.value(), &recurrent = w.recurrent.value();
  loop->forward = pack_all(input, recurrent, reset, pack_forward);
  if (!recording({w.input, w.recurrent})) return loop;
  loop->backward = pack_all(input, recurrent, reset, pack_backward);
  loop->input = DeferredWeight(w.input);
  const int64_t rows = w.recurrent.dim(0), width = w.recurrent.dim(1);
  if (rows == 3 * width) {
    loop->gates = DeferredWeight(slice_rows(w.recurrent, 0, 2 * width));
    loop->candidate = DeferredWeight(slice_rows(w.recurrent, 2 * width, rows));
  } else {
    loop->gates = DeferredWeight(w.recurrent);
  }
  return loop;
}

namespace internal {

std::vector<Var> inputs_of(const RecurrentInput& in,
                           const RecurrentWeights& w) {
  const bool looped = usable(w.loop);
  std::vector<Var> all;
  for (const Var& v :
       {in.x, looped ? w.loop->input.node() : w.input,
        looped ? w.loop->gates.node() : w.recurrent, w.bias, w.inner_bias,
        in.h0, in.c0, looped ? w.loop->candidate.node() : Var()}) {
    if (v) all.push_back(v);
  }
  return all;
}

Cell::Cell(const char* name_, int gates_, const RecurrentInput& in,
           const RecurrentWeights& w)
    : name(name_),
      gates(gates_),
      time{in.of, in.reverse},
      x(in.x.value()),
      input(value_of(w.input)),
      recurrent(value_of(w.recurrent)),
      bias(value_of(w.bias)),
      inner_bias(value_of(w.inner_bias)),
      h0(value_of(in.h0)),
      c0(value_of(in.c0)),
      tokens(in.of.total()),
      sequences(in.of.count()),
      width(w.packed ? w.packed->recurrent.in() : recurrent.cols()),
      recorded(recording(
          {in.x, w.input, w.recurrent, w.bias, w.inner_bias, in.h0, in.c0})) {
  int next = kRecurrent;
  if (bias) bias_at = ++next;
  if (inner_bias) inner_bias_at = ++next;
  if (h0) h0_at = ++next;
  if (c0) c0_at = ++next;
  if (recorded && usable(w.loop)) loop = w.loop;
  if (loop && loop->candidate) candidate_at = ++next;
  check_shapes(w.packed);
}

void Cell::check_shapes(const PackedRecurrent* packed) const {
  check((input && recurrent) || (packed && !recorded), name,
        ": no weights; packed ones are for inference only");
  const int64_t out = gates * width;
  const int64_t in = packed ? packed->input.in() : input.cols();
  if (packed) {
    check(packed->input.out() == out, name, ": packed for ",
          packed->input.out(), " gate values, expected ", out);
  }
  expect("x", x, {tokens, in});
  expect("input weights", input, {out, in});
  expect("recurrent weights", recurrent, {out, width});
  expect("bias", bias, {out});
  expect("inner bias", inner_bias, {width});
  expect("h0", h0, {sequences, width});
  expect("c0", c0, {sequences, width});
}

void Cell::expect(const char* what, const Tensor& t, const Shape& shape) const {
  check(!t || t.shape() == shape, name, ": ", what, " of shape ", t.shape(),
        ", expected ", shape, " for ", tokens, " tokens in ", sequences,
        " sequences, width ", width);
}

StepWeights StepWeights::forward(const Cell& cell, const RecurrentWeights& w,
                                 Reset reset) {
  if (cell.loop) return StepWeights(&cell.loop->forward);
  if (!cell.recorded && w.packed) return StepWeights(w.packed);
  return StepWeights(pack_steps(cell.recurrent, reset, pack_forward));
}

StepWeights StepWeights::backward(const Cell& cell, Reset reset) {
  if (cell.loop) return StepWeights(&cell.loop->backward);
  return StepWeights(pack_steps(cell.recurrent, reset, pack_backward));
}

Tensor input_product(const Cell& cell, const PackedRecurrent* packed) {
  const Tensor pre({cell.tokens, cell.gates * cell.width});
  const std::span<const float> bias = cell.bias.span();
  if (cell.loop) packed = &cell.loop->forward;
  if (cell.recorded && !cell.loop) {
    kernels::gemm(matrix(cell.x), matrix(cell.input), matrix(pre),
                  {.transpose_b = true, .bias = bias});
  } else {  // by the product whose rows do not depend on each other
    const WeightMatrix mine =
        packed ? WeightMatrix() : pack_forward(matrix(cell.input));
    (packed ? packed->input : mine)
        .multiply(matrix(cell.x), matrix(pre), {.bias = bias});
  }
  return pre;
}

Bundle::Bundle(const Cell& cell)
    : Bundle(Tensor({cell.tokens + (cell.gates == 4 ? 2 : 1) * cell.sequences,
                     cell.width}),
             cell) {}

Bundle::Bundle(Tensor all_, const Cell& cell)
    : all(std::move(all_)),
      states(all.row_range(0, cell.tokens)),
      last(all.row_range(cell.tokens, cell.tokens + cell.sequences)),
      last_cell(all.row_range(cell.tokens + cell.sequences, all.dim(0))) {}

RecurrentStates unbundle(const Cell& cell, const Var& all) {
  const int64_t n = cell.tokens, b = cell.sequences;
  RecurrentStates out{slice_rows(all, 0, n), slice_rows(all, n, n + b), {}};
  if (cell.gates == 4) out.last_cell = slice_rows(all, n + b, n + 2 * b);
  return out;
}

Tensor sum_at(Grads dx, int at) {
  return at >= 0 && dx[at] ? dx[at].sum() : Tensor();
}

void add_weight_gradient(const Tensor& target, kernels::ConstMatrixView a,
                         kernels::ConstMatrixView b) {
  if (!target) return;
  kernels::gemm(a, b, matrix(target),
                {.transpose_a = true, .accumulate = true});
}

void add_recurrent_gradient(const Cell& cell, Part which,
                            const DeferredWeight::Use& use, Grads dx) {
  const bool candidate = which == Part::kCandidate;
  if (cell.loop) {
    const DeferredWeight& part =
        candidate ? cell.loop->candidate : cell.loop->gates;
    part.later().add(dx[candidate ? cell.candidate_at : cell.kRecurrent], use);
    return;
  }
  Tensor target = sum_at(dx, cell.kRecurrent);
  if (!target) return;
  const int64_t two = 2 * cell.width;
  if (which == Part::kGates) target = target.row_range(0, two);
  if (candidate) target = target.row_range(two, target.dim(0));
  add_weight_gradient(
      target, matrix(use.dy).col_range(use.first, use.first + target.dim(0)),
      matrix(use.x));
}

void add_bias_gradient(const Tensor& target, kernels::ConstMatrixView rows) {
  if (target) kernels::column_sums(rows, target.span(), true);
}

void spread_input_gradient(const Cell& cell, const Tensor& dpre, Grads dx) {
  add_bias_gradient(sum_at(dx, cell.bias_at), matrix(dpre));
  if (cell.loop) {
    cell.loop->input.later().add(dx[cell.kInput], {cell.x, dpre});
  } else {
    add_weight_gradient(sum_at(dx, cell.kInput), matrix(dpre), matrix(cell.x));
  }
  if (!dx[cell.kX]) return;
  const auto [target, accumulate] = dx[cell.kX].target();
  if (cell.loop) {
    cell.loop->backward.input.multiply(matrix(dpre), matrix(target),
                                       {.accumulate = accumulate});
  } else {
    kernels::gemm(matrix(dpre), matrix(cell.input), matrix(target),
                  {.accumulate = accumulate});
  }
}

Tensor states_before(const Cell& cell, const Tensor& states) {
  if (cell.h0 && cell.time.of.longest() <= 1 && cell.tokens == cell.sequences) {
    return cell.h0;
  }
  const Tensor before({cell.tokens, cell.width});
  kernels::previous_rows(cell.time, matrix(states), matrix(cell.h0),
                         matrix(before));
  return before;
}

}  // namespace internal
}  // namespace fovea
