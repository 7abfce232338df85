#include "fovea/autograd/lstmn_net.h"

#include <utility>

#include "fovea/autograd/gather.h"
#include "fovea/autograd/matrix.h"
#include "fovea/base/check.h"
#include "fovea/kernels/gemm.h"

namespace fovea::internal {
namespace {

using kernels::MatrixView;
using kernels::PackedMatrix;
using kernels::WeightMatrix;

Tensor value_of(const Var& v) { return v ? v.value() : Tensor(); }

MatrixView view_of(const Tensor& t) { return t ? matrix(t) : MatrixView(); }

RecurrentWeights cell_weights(const LstmnWeights& w) {
  return {.input = w.cell.input,
          .recurrent = w.cell.recurrent,
          .bias = w.cell.bias,
          .packed = w.packed ? &w.packed->cell : nullptr};
}

// W_x x for all tokens, [N,A].
Tensor query_product(const Net& net, const PackedLstmn* packed) {
  const Tensor q({net.cell.tokens, net.given ? 0 : net.scored});
  if (net.given) return q;
  if (net.cell.recorded) {
    kernels::gemm(matrix(net.cell.x), matrix(net.query), matrix(q),
                  {.transpose_b = true});
  } else {  // by the product whose rows do not depend on each other
    const WeightMatrix mine =
        packed ? PackedMatrix() : PackedMatrix::from_out_in(matrix(net.query));
    (packed ? packed->query : mine).multiply(matrix(net.cell.x), matrix(q));
  }
  return q;
}

// Row i of each sequence reads the slots there are and those of the rows before
// it.
Pairs pairs_of(const Rows& rows, const Segments& of) {
  std::vector<Pairs::Row> all;
  all.reserve(static_cast<size_t>(of.total()));
  for (int b = 0; b < of.count(); ++b) {
    for (int i = 0; i < of.length(b); ++i) {
      const int slots = rows[b].length + i;
      all.push_back(
          {.key = rows[b].start, .keys = slots, .position = slots - 1});
    }
  }
  return {std::move(all), 1, 1};
}

}  // namespace

Net::Net(const LstmnInput& in, const LstmnWeights& w, std::vector<Var>& inputs)
    : cell("lstmn", 4, {.x = in.x, .of = in.of}, cell_weights(w)),
      key(value_of(w.key)),
      query(value_of(w.query)),
      summary(value_of(w.summary)),
      v(value_of(w.v)),
      added(value_of(in.added)),
      given(in.weights),
      keyed(!given),
      scored(v.size()) {
  check_shapes();
  inputs = inputs_of({.x = in.x, .of = in.of}, cell_weights(w));
  const auto add = [&](const Var& input) {
    if (!input) return -1;
    inputs.push_back(input);
    cell.recorded = cell.recorded || recording({input});
    return static_cast<int>(inputs.size()) - 1;
  };
  if (!given) {
    key_at = add(w.key);
    query_at = add(w.query);
    summary_at = add(w.summary);
    v_at = add(w.v);
  }
  added_at = add(in.added);
  weights_at = add(in.weights);
}

void Net::check_shapes() const {
  const auto expect = [](const char* what, const Tensor& t,
                         const Shape& shape) {
    check(!t || t.shape() == shape, "lstmn: ", what, " of shape ", t.shape(),
          ", expected ", shape);
  };
  expect("added", added, {cell.tokens, cell.width});
  check(given || (v && key && query), "lstmn: no weights of scores");
  expect("v", v, {scored});
  expect("key weights", key, {scored, cell.width});
  expect("query weights", query, {scored, cell.x.cols()});
  expect("summary weights", summary, {scored, cell.width});
}

StepMatrices::StepMatrices(const Net& net, const PackedLstmn* packed, Way way)
    : v_(net.v.span()) {
  if (packed && !net.cell.recorded) {
    given_ = packed;
    return;
  }
  const auto pack = [way](const Tensor& weight) {
    return way == Way::kForward ? PackedMatrix::from_out_in(matrix(weight))
                                : PackedMatrix::from_in_out(matrix(weight));
  };
  mine_.cell.recurrent = pack(net.cell.recurrent);
  if (net.keyed) mine_.key = pack(net.key);
  if (net.summary && !net.given) mine_.summary = pack(net.summary);
}

kernels::LstmnWeights StepMatrices::view() const {
  return {get().cell.recurrent, get().key, get().summary, v_};
}

LstmnParts::LstmnParts(const Net& net, const Tensor& all) {
  const int64_t n = net.cell.tokens, d = net.cell.width;
  states = all.row_range(0, n * d).reshaped({n, d});
  cells = all.row_range(n * d, 2 * n * d).reshaped({n, d});
  softmax = all.row_range(2 * n * d, all.dim(0));
}

LstmnRun::LstmnRun(const Net& net, const LstmnInput& in, const LstmnTape& from,
                   const PackedLstmn* packed)
    : pairs(pairs_of(from.rows, in.of)),
      slots(from.slots),
      keys(from.keys),
      gates(input_product(net.cell, packed ? &packed->cell : nullptr)),
      query(query_product(net, packed)),
      sums({net.cell.tokens, 2 * net.cell.width}),
      all({2 * net.cell.tokens * net.cell.width + pairs.size()}) {
  const LstmnParts out(net, all);
  if (net.given) {
    check(in.weights.value().size() == pairs.size(),
          "lstmn: ", in.weights.value().size(), " weights for ", pairs.size(),
          " pairs of a row and a slot");
    out.softmax.copy_from(in.weights.value());
  }
  const StepMatrices matrices(net, packed, StepMatrices::Way::kForward);
  kernels::lstmn_forward({.tape = tape(net),
                          .weights = matrices.view(),
                          .given = net.given,
                          .summary0 = view_of(from.summary),
                          .added = view_of(net.added),
                          .gates = matrix(gates),
                          .query = matrix(query),
                          .sums = matrix(sums),
                          .states = matrix(out.states),
                          .cells = matrix(out.cells),
                          .softmax = out.softmax.data()});
}

kernels::LstmnTape LstmnRun::tape(const Net& net) const {
  return {net.cell.time.of, pairs.layout(), matrix(slots), matrix(keys)};
}

LstmnStates lstmn_states(const Net& net, const Pairs& pairs, const Var& all) {
  const int64_t n = net.cell.tokens, d = net.cell.width;
  return {reshape(slice_rows(all, 0, n * d), {n, d}),
          reshape(slice_rows(all, n * d, 2 * n * d), {n, d}),
          slice_rows(all, 2 * n * d, all.dim(0)), pairs};
}

}  // namespace fovea::internal
