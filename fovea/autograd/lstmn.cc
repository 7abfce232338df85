#include "fovea/autograd/lstmn.h"

#include <vector>

#include "fovea/autograd/lstmn_net.h"
#include "fovea/autograd/matrix.h"
#include "fovea/kernels/additive.h"
#include "fovea/kernels/gemm.h"

namespace fovea {
namespace {

using internal::add_weight_gradient;
using internal::Cell;
using internal::LstmnParts;
using internal::LstmnRun;
using internal::Net;
using internal::StepMatrices;
using internal::sum_at;
using kernels::MatrixView;

// Gradients that the kernel makes.
struct Made {
  Tensor slots, keys, query, scores, added;  // added: only if it is needed
};

// What follows from the gradients of scores, keys and queries.
void spread_score_gradient(const Net& net, const LstmnRun& run,
                           const Made& made, Grads dx) {
  const int64_t d = net.cell.width;
  add_weight_gradient(sum_at(dx, net.key_at), matrix(made.keys),
                      matrix(run.slots).col_range(0, d));
  add_weight_gradient(sum_at(dx, net.query_at), matrix(made.query),
                      matrix(net.cell.x));
  if (const Tensor dsummary = sum_at(dx, net.summary_at)) {
    const Tensor before({net.cell.tokens, d});
    kernels::previous_rows(net.cell.time, matrix(run.sums).col_range(0, d), {},
                           matrix(before));
    add_weight_gradient(dsummary, matrix(made.query), matrix(before));
  }
  if (const Tensor dv = sum_at(dx, net.v_at)) {
    kernels::additive_backward(
        {.q = matrix(run.query), .k = matrix(run.keys), .v = net.v.span()},
        run.pairs.layout(), made.scores.data(), {.dv = dv.span()});
  }
  if (!dx[Cell::kX]) return;
  const auto [target, accumulate] = dx[Cell::kX].target();
  kernels::gemm(matrix(made.query), matrix(net.query), matrix(target),
                {.accumulate = accumulate});
}

void run_back(const Net& net, const LstmnRun& run, const Tensor& dy,
              const Made& made) {
  const LstmnParts out(net, run.all), dout(net, dy);
  const StepMatrices matrices(net, nullptr, StepMatrices::Way::kBack);
  kernels::lstmn_backward(
      {.tape = run.tape(net),
       .weights = matrices.view(),
       .given = net.given,
       .query = matrix(run.query),
       .sums = matrix(run.sums),
       .cells = matrix(out.cells),
       .softmax = out.softmax.data(),
       .dstates = matrix(dout.states),
       .dcells = matrix(dout.cells),
       .dsoftmax = dout.softmax.data(),
       .gates = matrix(run.gates),
       .dslots = matrix(made.slots),
       .dkeys = matrix(made.keys),
       .dquery = matrix(made.query),
       .dadded = made.added ? matrix(made.added) : MatrixView(),
       .dscores = made.scores.data()});
}

void back(const Net& net, const LstmnRun& run, const Tensor& dy, Grads dx) {
  const bool adds = net.added_at >= 0 && dx[net.added_at];
  const Made made{Tensor(run.slots.shape()), Tensor(run.keys.shape()),
                  Tensor(run.query.shape()), Tensor({run.pairs.size()}),
                  adds ? Tensor(net.added.shape()) : Tensor()};
  run_back(net, run, dy, made);
  add_weight_gradient(sum_at(dx, Cell::kRecurrent), matrix(run.gates),
                      matrix(run.sums).col_range(0, net.cell.width));
  internal::spread_input_gradient(net.cell, run.gates, dx);
  if (adds) dx[net.added_at].add(made.added);
  if (!net.given) {
    spread_score_gradient(net, run, made, dx);
  } else if (dx[net.weights_at]) {
    dx[net.weights_at].add(made.scores);
  }
}

// Room for all rows, behind one zero slot a sequence.
LstmnTape fresh_tape(const Net& net, const Segments& of) {
  const int64_t rows = of.total() + of.count();
  LstmnTape tape{Tensor({rows, 2 * net.cell.width}),
                 Tensor({rows, net.keyed ? net.scored : 0}),
                 {},
                 {}};
  for (int b = 0; b < of.count(); ++b) {
    const int start = of.begin(b) + b;
    tape.rows.push_back({start, 1, of.length(b) + 1});
    tape.slots.row_range(start, start + 1).fill(0.0f);
    tape.keys.row_range(start, start + 1).fill(0.0f);
  }
  return tape;
}

}  // namespace

PackedLstmn pack_lstmn(const LstmnWeights& w, kernels::Precision precision) {
  const auto pack = [precision](const Var& weight) {
    return kernels::WeightMatrix::from_out_in(matrix(weight.value()),
                                              precision);
  };
  PackedLstmn packed;
  packed.cell =
      pack_recurrent(w.cell.input.value(), w.cell.recurrent.value(), precision);
  packed.key = pack(w.key);
  packed.query = pack(w.query);
  if (w.summary) packed.summary = pack(w.summary);
  return packed;
}

LstmnStates lstmn(const LstmnInput& in, const LstmnWeights& w) {
  std::vector<Var> inputs;
  const Net net(in, w, inputs);
  const LstmnRun run(net, in, fresh_tape(net, in.of),
                     net.cell.recorded ? nullptr : w.packed);
  const Var all = record(
      run.all, inputs,
      [net, run](const Tensor& dy, Grads dx) { back(net, run, dy, dx); });
  return internal::lstmn_states(net, run.pairs, all);
}

}  // namespace fovea
