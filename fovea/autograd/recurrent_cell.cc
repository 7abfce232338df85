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

Tensor value_of(const Var& v) { return v ? v.value() : Tensor(); }

// All at once, or for the reset before the product in two parts.
PackedRecurrent pack_steps(const Tensor& recurrent, GruReset reset) {
  const MatrixView u = matrix(recurrent);
  const int64_t split = reset == GruReset::kBefore ? 2 * u.cols : u.rows;
  PackedRecurrent packed;
  packed.recurrent = PackedMatrix::from_out_in(u.row_range(0, split));
  if (split < u.rows) {
    packed.candidate = PackedMatrix::from_out_in(u.row_range(split, u.rows));
  }
  return packed;
}

}  // namespace

PackedRecurrent pack_recurrent(const Tensor& input, const Tensor& recurrent) {
  return pack_gru(input, recurrent, GruReset::kAfter);
}

PackedRecurrent pack_gru(const Tensor& input, const Tensor& recurrent,
                         GruReset reset) {
  PackedRecurrent packed = pack_steps(recurrent, reset);
  packed.input = PackedMatrix::from_out_in(matrix(input));
  return packed;
}

namespace internal {

std::vector<Var> inputs_of(const RecurrentInput& in,
                           const RecurrentWeights& w) {
  std::vector<Var> all;
  for (const Var& v :
       {in.x, w.input, w.recurrent, w.bias, w.inner_bias, in.h0, in.c0}) {
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

StepWeights::StepWeights(const Cell& cell, const RecurrentWeights& w,
                         GruReset reset)
    : given_(cell.recorded ? nullptr : w.packed) {
  if (!given_) mine_ = pack_steps(cell.recurrent, reset);
}

Tensor input_product(const Cell& cell, const PackedRecurrent* packed) {
  const Tensor pre({cell.tokens, cell.gates * cell.width});
  const std::span<const float> bias = cell.bias.span();
  if (cell.recorded) {
    kernels::gemm(matrix(cell.x), matrix(cell.input), matrix(pre),
                  {.transpose_b = true, .bias = bias});
  } else {  // by the product whose rows do not depend on each other
    const PackedMatrix mine =
        packed ? PackedMatrix() : PackedMatrix::from_out_in(matrix(cell.input));
    kernels::packed_gemm(matrix(cell.x), packed ? packed->input : mine,
                         matrix(pre), {.bias = bias});
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

void add_bias_gradient(const Tensor& target, kernels::ConstMatrixView rows) {
  if (target) kernels::column_sums(rows, target.span(), true);
}

void spread_input_gradient(const Cell& cell, const Tensor& dpre, Grads dx) {
  add_weight_gradient(sum_at(dx, cell.kInput), matrix(dpre), matrix(cell.x));
  add_bias_gradient(sum_at(dx, cell.bias_at), matrix(dpre));
  if (!dx[cell.kX]) return;
  const auto [target, accumulate] = dx[cell.kX].target();
  kernels::gemm(matrix(dpre), matrix(cell.input), matrix(target),
                {.accumulate = accumulate});
}

Tensor states_before(const Cell& cell, const Tensor& states) {
  const Tensor before({cell.tokens, cell.width});
  kernels::previous_rows(cell.time, matrix(states), matrix(cell.h0),
                         matrix(before));
  return before;
}

}  // namespace internal
}  // namespace fovea
