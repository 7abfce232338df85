#include "fovea/autograd/recurrent.h"

#include <vector>

#include "fovea/autograd/matrix.h"
#include "fovea/autograd/recurrent_cell.h"
#include "fovea/base/check.h"

namespace fovea {
namespace {

using internal::add_bias_gradient;
using internal::add_recurrent_gradient;
using internal::Bundle;
using internal::Cell;
using internal::input_product;
using internal::inputs_of;
using internal::Part;
using internal::spread_input_gradient;
using internal::states_before;
using internal::StepWeights;
using internal::sum_at;
using internal::unbundle;
using kernels::GruReset;

void elman_back(const Cell& cell, const Tensor& states, const Tensor& dy,
                Grads dx) {
  const Bundle d(dy, cell);
  const Tensor dpre({cell.tokens, cell.width});
  const StepWeights u = StepWeights::backward(cell);
  kernels::elman_backward({.time = cell.time,
                           .recurrent = u.recurrent(),
                           .states = matrix(states),
                           .dstates = matrix(d.states),
                           .dlast = matrix(d.last),
                           .dpre = matrix(dpre),
                           .dh0 = matrix(sum_at(dx, cell.h0_at))});
  add_recurrent_gradient(cell, Part::kAll, {states_before(cell, states), dpre},
                         dx);
  spread_input_gradient(cell, dpre, dx);
}

void lstm_back(const Cell& cell, const Tensor& states, const Tensor& gates,
               const Tensor& cells, const Tensor& dy, Grads dx) {
  const Bundle d(dy, cell);
  const StepWeights u = StepWeights::backward(cell);
  kernels::lstm_backward({.time = cell.time,
                          .recurrent = u.recurrent(),
                          .c0 = matrix(cell.c0),
                          .cells = matrix(cells),
                          .dstates = matrix(d.states),
                          .dlast_h = matrix(d.last),
                          .dlast_c = matrix(d.last_cell),
                          .gates = matrix(gates),
                          .dh0 = matrix(sum_at(dx, cell.h0_at)),
                          .dc0 = matrix(sum_at(dx, cell.c0_at))});
  add_recurrent_gradient(cell, Part::kAll, {states_before(cell, states), gates},
                         dx);
  spread_input_gradient(cell, gates, dx);
}

struct GruTape {
  Tensor states, gates, inner;
};

// The parts of U that z and r use, and the one that the candidate uses.
void add_gru_gradient(const Cell& cell, const GruTape& tape, GruReset reset,
                      Grads dx) {
  const Tensor before = states_before(cell, tape.states);
  add_recurrent_gradient(cell, Part::kGates, {before, tape.gates}, dx);
  const bool is_before = reset == GruReset::kBefore;
  // Inner is r * h, or the gradient of U h + b'.
  add_recurrent_gradient(
      cell, Part::kCandidate,
      is_before ? DeferredWeight::Use{tape.inner, tape.gates, 2 * cell.width}
                : DeferredWeight::Use{before, tape.inner},
      dx);
}

void gru_back(const Cell& cell, const kernels::GruVariant& variant,
              const GruTape& tape, const Tensor& dy, Grads dx) {
  const Bundle d(dy, cell);
  const StepWeights u = StepWeights::backward(cell, variant.reset);
  kernels::gru_backward({.time = cell.time,
                         .variant = variant,
                         .recurrent = u.recurrent(),
                         .candidate = u.candidate(),
                         .h0 = matrix(cell.h0),
                         .states = matrix(tape.states),
                         .dstates = matrix(d.states),
                         .dlast = matrix(d.last),
                         .gates = matrix(tape.gates),
                         .inner = matrix(tape.inner),
                         .dh0 = matrix(sum_at(dx, cell.h0_at))});
  add_gru_gradient(cell, tape, variant.reset, dx);
  add_bias_gradient(sum_at(dx, cell.inner_bias_at), matrix(tape.inner));
  spread_input_gradient(cell, tape.gates, dx);
}

}  // namespace

RecurrentStates elman(const RecurrentInput& in, const RecurrentWeights& w) {
  check(!in.c0 && !w.inner_bias, "elman: takes no c0 and no inner bias");
  const Cell cell("elman", 1, in, w);
  const Tensor pre = input_product(cell, w.packed);
  const Bundle out(cell);
  const StepWeights weights = StepWeights::forward(cell, w);
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
  const StepWeights weights = StepWeights::forward(cell, w);
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
  const StepWeights weights = StepWeights::forward(cell, w, variant.reset);
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
