#include "fovea/autograd/recurrent.h"

#include <vector>

#include "fovea/autograd/matrix.h"
#include "fovea/autograd/recurrent_cell.h"
#include "fovea/base/check.h"

namespace fovea {
namespace {

using internal::add_bias_gradient;
using internal::add_weight_gradient;
using internal::Bundle;
using internal::Cell;
using internal::input_product;
using internal::inputs_of;
using internal::spread_input_gradient;
using internal::states_before;
using internal::StepWeights;
using internal::sum_at;
using internal::unbundle;
using kernels::GruReset;
using kernels::MatrixView;
using kernels::PackedMatrix;

void elman_back(const Cell& cell, const Tensor& states, const Tensor& dy,
                Grads dx) {
  const Bundle d(dy, cell);
  const Tensor dpre({cell.tokens, cell.width});
  const PackedMatrix u = PackedMatrix::from_in_out(matrix(cell.recurrent));
  kernels::elman_backward({.time = cell.time,
                           .recurrent = u,
                           .states = matrix(states),
                           .dstates = matrix(d.states),
                           .dlast = matrix(d.last),
                           .dpre = matrix(dpre),
                           .dh0 = matrix(sum_at(dx, cell.h0_at))});
  add_weight_gradient(sum_at(dx, cell.kRecurrent), matrix(dpre),
                      matrix(states_before(cell, states)));
  spread_input_gradient(cell, dpre, dx);
}

void lstm_back(const Cell& cell, const Tensor& states, const Tensor& gates,
               const Tensor& cells, const Tensor& dy, Grads dx) {
  const Bundle d(dy, cell);
  const PackedMatrix u = PackedMatrix::from_in_out(matrix(cell.recurrent));
  kernels::lstm_backward({.time = cell.time,
                          .recurrent = u,
                          .c0 = matrix(cell.c0),
                          .cells = matrix(cells),
                          .dstates = matrix(d.states),
                          .dlast_h = matrix(d.last),
                          .dlast_c = matrix(d.last_cell),
                          .gates = matrix(gates),
                          .dh0 = matrix(sum_at(dx, cell.h0_at)),
                          .dc0 = matrix(sum_at(dx, cell.c0_at))});
  add_weight_gradient(sum_at(dx, cell.kRecurrent), matrix(gates),
                      matrix(states_before(cell, states)));
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
                      matrix(tape.gates).col_range(0, two), matrix(before));
  if (reset == GruReset::kBefore) {  // inner is r * h
    add_weight_gradient(target.row_range(two, three),
                        matrix(tape.gates).col_range(two, three),
                        matrix(tape.inner));
  } else {  // inner is the gradient of U h + b'
    add_weight_gradient(target.row_range(two, three), matrix(tape.inner),
                        matrix(before));
  }
}

void gru_back(const Cell& cell, const kernels::GruVariant& variant,
              const GruTape& tape, const Tensor& dy, Grads dx) {
  const Bundle d(dy, cell);
  const bool before = variant.reset == GruReset::kBefore;
  const MatrixView u = matrix(cell.recurrent);
  const int64_t split = before ? 2 * cell.width : u.rows;
  const PackedMatrix gates = PackedMatrix::from_in_out(u.row_range(0, split));
  const PackedMatrix candidate =
      before ? PackedMatrix::from_in_out(u.row_range(split, u.rows))
             : PackedMatrix();
  kernels::gru_backward({.time = cell.time,
                         .variant = variant,
                         .recurrent = gates,
                         .candidate = candidate,
                         .h0 = matrix(cell.h0),
                         .states = matrix(tape.states),
                         .dstates = matrix(d.states),
                         .dlast = matrix(d.last),
                         .gates = matrix(tape.gates),
                         .inner = matrix(tape.inner),
                         .dh0 = matrix(sum_at(dx, cell.h0_at))});
  add_gru_recurrent_gradient(cell, tape, variant.reset,
                             sum_at(dx, cell.kRecurrent));
  add_bias_gradient(sum_at(dx, cell.inner_bias_at), matrix(tape.inner));
  spread_input_gradient(cell, tape.gates, dx);
}

}  // namespace

RecurrentStates elman(const RecurrentInput& in, const RecurrentWeights& w) {
  check(!in.c0 && !w.inner_bias, "elman: takes no c0 and no inner bias");
  const Cell cell("elman", 1, in, w);
  const Tensor pre = input_product(cell, w.packed);
  const Bundle out(cell);
  const StepWeights weights(cell, w);
  kernels::elman_forward({.time = cell.time,
                          .recurrent = weights.recurrent(),
                          .h0 = matrix(cell.h0),
                          .pre = matrix(pre),
                          .states = matrix(out.states),
                          .last = matrix(out.last)});
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
  const Bundle out(cell);
  const Tensor cells =
      cell.recorded ? Tensor({cell.tokens, cell.width}) : Tensor();
  const StepWeights weights(cell, w);
  kernels::lstm_forward({.time = cell.time,
                         .recurrent = weights.recurrent(),
                         .h0 = matrix(cell.h0),
                         .c0 = matrix(cell.c0),
                         .gates = matrix(gates),
                         .cells = matrix(cells),
                         .states = matrix(out.states),
                         .last_h = matrix(out.last),
                         .last_c = matrix(out.last_cell)});
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
  const Bundle out(cell);
  const GruTape tape{
      out.states, input_product(cell, w.packed),
      cell.recorded ? Tensor({cell.tokens, cell.width}) : Tensor()};
  const StepWeights weights(cell, w, variant.reset);
  kernels::gru_forward({.time = cell.time,
                        .variant = variant,
                        .recurrent = weights.recurrent(),
                        .candidate = weights.candidate(),
                        .candidate_bias = cell.inner_bias.span(),
                        .h0 = matrix(cell.h0),
                        .gates = matrix(tape.gates),
                        .inner = matrix(tape.inner),
                        .states = matrix(out.states),
                        .last = matrix(out.last)});
  return unbundle(cell,
                  record(out.all, inputs_of(in, w),
                         [cell, variant, tape](const Tensor& dy, Grads dx) {
                           gru_back(cell, variant, tape, dy, dx);
                         }));
}

}  // namespace fovea
