#include "fovea/autograd/recurrent.h"

#include <utility>
#include <vector>

#include "fovea/base/check.h"
#include "fovea/kernels/elementwise.h"
#include "fovea/kernels/gemm.h"

namespace fovea {
namespace {

using kernels::ConstMatrixView;
using kernels::GruReset;
using kernels::MatrixView;
using kernels::PackedMatrix;

MatrixView view(const Tensor& t) {
  return t ? MatrixView(t.data(), t.rows(), t.cols()) : MatrixView();
}

Tensor value_of(const Var& v) { return v ? v.value() : Tensor(); }

std::span<const float> span_of(const Tensor& t) {
  return t ? std::span<const float>(t.span()) : std::span<const float>();
}

// The inputs of the node, in this order; those that are not given are left out.
std::vector<Var> inputs_of(const RecurrentInput& in,
                           const RecurrentWeights& w) {
  std::vector<Var> all;
  for (const Var& v :
       {in.x, w.input, w.recurrent, w.bias, w.inner_bias, in.h0, in.c0}) {
    if (v) all.push_back(v);
  }
  return all;
}

// What all cells share: sizes, tensors, and which input of the node each is
// (-1: not given).
struct Cell {
  const char* name;
  int gates;
  kernels::Timeline time;
  Tensor x, input, recurrent, bias, inner_bias, h0, c0;
  int64_t tokens, sequences, width;
  bool recorded;
  static constexpr int kX = 0, kInput = 1, kRecurrent = 2;
  int bias_at, inner_bias_at, h0_at, c0_at;

  Cell(const char* name, int gates, const RecurrentInput& in,
       const RecurrentWeights& w);
  void expect(const char* what, const Tensor& t, const Shape& shape) const;
};

Cell::Cell(const char* name_, int gates_, const RecurrentInput& in,
           const RecurrentWeights& w)
    : name(name_),
      gates(gates_),
      time{in.of, in.reverse},
      x(in.x.value()),
      input(w.input.value()),
      recurrent(w.recurrent.value()),
      bias(value_of(w.bias)),
      inner_bias(value_of(w.inner_bias)),
      h0(value_of(in.h0)),
      c0(value_of(in.c0)),
      tokens(in.of.total()),
      sequences(in.of.count()),
      width(recurrent.cols()),
      recorded(recording(
          {in.x, w.input, w.recurrent, w.bias, w.inner_bias, in.h0, in.c0})) {
  int next = kRecurrent;
  bias_at = bias ? ++next : -1;
  inner_bias_at = inner_bias ? ++next : -1;
  h0_at = h0 ? ++next : -1;
  c0_at = c0 ? ++next : -1;
  expect("x", x, {tokens, x.cols()});
  expect("input weights", input, {gates * width, x.cols()});
  expect("recurrent weights", recurrent, {gates * width, width});
  expect("bias", bias, {gates * width});
  expect("inner bias", inner_bias, {width});
  expect("h0", h0, {sequences, width});
  expect("c0", c0, {sequences, width});
}

void Cell::expect(const char* what, const Tensor& t, const Shape& shape) const {
  check(!t || t.shape() == shape, name, ": ", what, " of shape ", t.shape(),
        ", expected ", shape, " for ", tokens, " tokens in ", sequences,
        " sequences, width ", width);
}

Grad grad_at(Grads dx, int at) { return at < 0 ? Grad() : dx[at]; }

// The gradient of an input so far, to add to; empty if nobody needs it.
Tensor sum_at(Grads dx, int at) {
  const Grad grad = grad_at(dx, at);
  return grad ? grad.sum() : Tensor();
}

// W x + b for all tokens. When nothing is recorded, by the product whose rows
// do not depend on each other.
Tensor input_product(const Cell& cell, const PackedRecurrent* packed) {
  Tensor pre({cell.tokens, cell.gates * cell.width});
  if (cell.tokens == 0) return pre;
  if (cell.recorded) {
    kernels::gemm(view(cell.x), view(cell.input), view(pre),
                  {.transpose_b = true, .bias = span_of(cell.bias)});
  } else {
    const PackedMatrix mine =
        packed ? PackedMatrix() : PackedMatrix::from_out_in(view(cell.input));
    kernels::packed_gemm(view(cell.x), packed ? packed->input : mine, view(pre),
                         {.bias = span_of(cell.bias)});
  }
  return pre;
}

// grad += a^T b, a and b with a row for each token.
void add_weight_gradient(const Tensor& target, ConstMatrixView a,
                         ConstMatrixView b) {
  if (!target || a.rows == 0) return;
  kernels::gemm(a, b, view(target), {.transpose_a = true, .accumulate = true});
}

void add_column_sums(const Tensor& target, ConstMatrixView x) {
  if (!target) return;
  for (int64_t i = 0; i < x.rows; ++i) {
    kernels::add({x.row(i), static_cast<size_t>(x.cols)}, target.span());
  }
}

// Everything that follows from dpre, the gradient of W x + b.
void spread_input_gradient(const Cell& cell, const Tensor& dpre, Grads dx) {
  add_weight_gradient(sum_at(dx, cell.kInput), view(dpre), view(cell.x));
  add_column_sums(sum_at(dx, cell.bias_at), view(dpre));
  const Grad grad = grad_at(dx, cell.kX);
  if (!grad || cell.tokens == 0) return;
  const auto [target, accumulate] = grad.target();
  kernels::gemm(view(dpre), view(cell.input), view(target),
                {.accumulate = accumulate});
}

// [N,D], the state before each row.
Tensor states_before(const Cell& cell, const Tensor& states) {
  Tensor before({cell.tokens, cell.width});
  kernels::previous_rows(cell.time, view(states), view(cell.h0), view(before));
  return before;
}

// One node has one result: states, last h and last c lie one after another in
// it, and each is a part of it.
struct Bundle {
  Tensor all, states, last, last_cell;
  Bundle(Tensor all_, const Cell& cell)
      : all(std::move(all_)),
        states(all.row_range(0, cell.tokens)),
        last(all.row_range(cell.tokens, cell.tokens + cell.sequences)),
        last_cell(all.row_range(cell.tokens + cell.sequences, all.dim(0))) {}
};

Bundle new_bundle(const Cell& cell) {
  const int64_t ends = cell.gates == 4 ? 2 : 1;
  return {Tensor({cell.tokens + ends * cell.sequences, cell.width}), cell};
}

Var part_of(const Var& all, int64_t begin, int64_t end) {
  return record(all.value().row_range(begin, end), {all},
                [begin, end](const Tensor& dy, Grads dx) {
                  const Tensor sum = dx[0].sum();
                  kernels::add(dy.span(), sum.row_range(begin, end).span());
                });
}

RecurrentStates unbundle(const Cell& cell, const Var& all) {
  const int64_t n = cell.tokens, b = cell.sequences;
  RecurrentStates out{part_of(all, 0, n), part_of(all, n, n + b), {}};
  if (cell.gates == 4) out.last_cell = part_of(all, n + b, n + 2 * b);
  return out;
}

// The recurrent weights as the steps use them: all at once, or for the reset
// before the product in two parts.
PackedRecurrent pack_steps(const Tensor& recurrent, GruReset reset) {
  const MatrixView u = view(recurrent);
  const int64_t split = reset == GruReset::kBefore ? 2 * u.cols : u.rows;
  PackedRecurrent packed;
  packed.recurrent = PackedMatrix::from_out_in(u.row_range(0, split));
  if (split < u.rows) {
    packed.candidate = PackedMatrix::from_out_in(u.row_range(split, u.rows));
  }
  return packed;
}

// Those given beforehand, unless weights are being trained; else packed now.
class StepWeights {
 public:
  StepWeights(const Cell& cell, const RecurrentWeights& w,
              GruReset reset = GruReset::kAfter)
      : given_(cell.recorded ? nullptr : w.packed) {
    if (!given_) mine_ = pack_steps(cell.recurrent, reset);
  }
  const PackedRecurrent& get() const { return given_ ? *given_ : mine_; }

 private:
  const PackedRecurrent* given_;
  PackedRecurrent mine_;
};

void elman_back(const Cell& cell, const Tensor& states, const Tensor& dy,
                Grads dx) {
  const Bundle d(dy, cell);
  const Tensor dpre({cell.tokens, cell.width});
  const PackedMatrix u = PackedMatrix::from_in_out(view(cell.recurrent));
  kernels::elman_backward({.time = cell.time,
                           .recurrent = u,
                           .states = view(states),
                           .dstates = view(d.states),
                           .dlast = view(d.last),
                           .dpre = view(dpre),
                           .dh0 = view(sum_at(dx, cell.h0_at))});
  add_weight_gradient(sum_at(dx, cell.kRecurrent), view(dpre),
                      view(states_before(cell, states)));
  spread_input_gradient(cell, dpre, dx);
}

void lstm_back(const Cell& cell, const Tensor& states, const Tensor& gates,
               const Tensor& cells, const Tensor& dy, Grads dx) {
  const Bundle d(dy, cell);
  const PackedMatrix u = PackedMatrix::from_in_out(view(cell.recurrent));
  kernels::lstm_backward({.time = cell.time,
                          .recurrent = u,
                          .c0 = view(cell.c0),
                          .cells = view(cells),
                          .dstates = view(d.states),
                          .dlast_h = view(d.last),
                          .dlast_c = view(d.last_cell),
                          .gates = view(gates),
                          .dh0 = view(sum_at(dx, cell.h0_at)),
                          .dc0 = view(sum_at(dx, cell.c0_at))});
  add_weight_gradient(sum_at(dx, cell.kRecurrent), view(gates),
                      view(states_before(cell, states)));
  spread_input_gradient(cell, gates, dx);
}

struct GruTape {
  Tensor states, gates, inner;
};

// The parts of U that z and r use, and the one that the candidate uses.
void add_gru_recurrent_gradient(const Cell& cell, const GruTape& tape,
                                GruReset reset, const Tensor& target) {
  if (!target) return;
  const int64_t two = 2 * cell.width, three = 3 * cell.width;
  const Tensor before = states_before(cell, tape.states);
  add_weight_gradient(target.row_range(0, two),
                      view(tape.gates).col_range(0, two), view(before));
  if (reset == GruReset::kBefore) {  // inner is r * h
    add_weight_gradient(target.row_range(two, three),
                        view(tape.gates).col_range(two, three),
                        view(tape.inner));
  } else {  // inner is the gradient of U h + b'
    add_weight_gradient(target.row_range(two, three), view(tape.inner),
                        view(before));
  }
}

void gru_back(const Cell& cell, const kernels::GruVariant& variant,
              const GruTape& tape, const Tensor& dy, Grads dx) {
  const Bundle d(dy, cell);
  const bool before = variant.reset == GruReset::kBefore;
  const MatrixView u = view(cell.recurrent);
  const int64_t split = before ? 2 * cell.width : u.rows;
  const PackedMatrix gates = PackedMatrix::from_in_out(u.row_range(0, split));
  const PackedMatrix candidate =
      before ? PackedMatrix::from_in_out(u.row_range(split, u.rows))
             : PackedMatrix();
  kernels::gru_backward({.time = cell.time,
                         .variant = variant,
                         .recurrent = gates,
                         .candidate = candidate,
                         .h0 = view(cell.h0),
                         .states = view(tape.states),
                         .dstates = view(d.states),
                         .dlast = view(d.last),
                         .gates = view(tape.gates),
                         .inner = view(tape.inner),
                         .dh0 = view(sum_at(dx, cell.h0_at))});
  add_gru_recurrent_gradient(cell, tape, variant.reset,
                             sum_at(dx, cell.kRecurrent));
  add_column_sums(sum_at(dx, cell.inner_bias_at), view(tape.inner));
  spread_input_gradient(cell, tape.gates, dx);
}

}  // namespace

PackedRecurrent pack_recurrent(const Tensor& input, const Tensor& recurrent) {
  return pack_gru(input, recurrent, GruReset::kAfter);
}

PackedRecurrent pack_gru(const Tensor& input, const Tensor& recurrent,
                         GruReset reset) {
  PackedRecurrent packed = pack_steps(recurrent, reset);
  packed.input = PackedMatrix::from_out_in(view(input));
  return packed;
}

RecurrentStates elman(const RecurrentInput& in, const RecurrentWeights& w) {
  check(!in.c0 && !w.inner_bias, "elman: takes no c0 and no inner bias");
  const Cell cell("elman", 1, in, w);
  const Tensor pre = input_product(cell, w.packed);
  const Bundle out = new_bundle(cell);
  const StepWeights weights(cell, w);
  kernels::elman_forward({.time = cell.time,
                          .recurrent = weights.get().recurrent,
                          .h0 = view(cell.h0),
                          .pre = view(pre),
                          .states = view(out.states),
                          .last = view(out.last)});
  return unbundle(
      cell, record(out.all, inputs_of(in, w),
                   [cell, states = out.states](const Tensor& dy, Grads dx) {
                     elman_back(cell, states, dy, dx);
                   }));
}

RecurrentStates lstm(const RecurrentInput& in, const RecurrentWeights& w) {
  check(!w.inner_bias, "lstm: takes no inner bias");
  const Cell cell("lstm", 4, in, w);
  const Tensor gates = input_product(cell, w.packed);
  const Bundle out = new_bundle(cell);
  const Tensor cells =
      cell.recorded ? Tensor({cell.tokens, cell.width}) : Tensor();
  const StepWeights weights(cell, w);
  kernels::lstm_forward({.time = cell.time,
                         .recurrent = weights.get().recurrent,
                         .h0 = view(cell.h0),
                         .c0 = view(cell.c0),
                         .gates = view(gates),
                         .cells = view(cells),
                         .states = view(out.states),
                         .last_h = view(out.last),
                         .last_c = view(out.last_cell)});
  return unbundle(cell, record(out.all, inputs_of(in, w),
                               [cell, states = out.states, gates, cells](
                                   const Tensor& dy, Grads dx) {
                                 lstm_back(cell, states, gates, cells, dy, dx);
                               }));
}

RecurrentStates gru(const RecurrentInput& in, const RecurrentWeights& w,
                    const kernels::GruVariant& variant) {
  check(!in.c0, "gru: takes no c0");
  check(!w.inner_bias || variant.reset == GruReset::kAfter,
        "gru: an inner bias needs the reset after the product");
  const Cell cell("gru", 3, in, w);
  const Bundle out = new_bundle(cell);
  const GruTape tape{
      out.states, input_product(cell, w.packed),
      cell.recorded ? Tensor({cell.tokens, cell.width}) : Tensor()};
  const StepWeights weights(cell, w, variant.reset);
  kernels::gru_forward({.time = cell.time,
                        .variant = variant,
                        .recurrent = weights.get().recurrent,
                        .candidate = weights.get().candidate,
                        .candidate_bias = span_of(cell.inner_bias),
                        .h0 = view(cell.h0),
                        .gates = view(tape.gates),
                        .inner = view(tape.inner),
                        .states = view(out.states),
                        .last = view(out.last)});
  return unbundle(cell,
                  record(out.all, inputs_of(in, w),
                         [cell, variant, tape](const Tensor& dy, Grads dx) {
                           gru_back(cell, variant, tape, dy, dx);
                         }));
}

}  // namespace fovea
