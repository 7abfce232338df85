#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "fovea/autograd/recurrent.h"
#include "fovea/autograd/var.h"
#include "fovea/kernels/recurrent.h"
#include "fovea/kernels/view.h"

// What the recurrent ops share: everything but the steps themselves.
namespace fovea::internal {

// Sizes, tensors (empty: not given), and which input of the node each is.
struct Cell {
  const char* name;
  int gates;
  kernels::Timeline time;
  Tensor x, input, recurrent, bias, inner_bias, h0, c0;
  int64_t tokens, sequences, width;
  bool recorded;
  static constexpr int kX = 0, kInput = 1, kRecurrent = 2;
  int bias_at = -1, inner_bias_at = -1, h0_at = -1, c0_at = -1;  // -1: none
  int candidate_at = -1;
  std::shared_ptr<const RecurrentLoop> loop;  // or null; only while recorded

  // Throws if something does not fit.
  Cell(const char* name, int gates, const RecurrentInput& in,
       const RecurrentWeights& w);

 private:
  void check_shapes(const PackedRecurrent* packed) const;
  void expect(const char* what, const Tensor& t, const Shape& shape) const;
};

// The inputs of the node, in the order that Cell says.
std::vector<Var> inputs_of(const RecurrentInput& in, const RecurrentWeights& w);

// The recurrent weights as the steps use them: those packed beforehand, which
// it borrows, or else packed now.
class StepWeights {
 public:
  using Reset = kernels::GruReset;
  static StepWeights forward(const Cell& cell, const RecurrentWeights& w,
                             Reset reset = Reset::kAfter);
  static StepWeights backward(const Cell& cell, Reset reset = Reset::kAfter);
  const kernels::WeightMatrix& recurrent() const { return get().recurrent; }
  const kernels::WeightMatrix& candidate() const { return get().candidate; }

 private:
  explicit StepWeights(const PackedRecurrent* given) : given_(given) {}
  explicit StepWeights(PackedRecurrent mine) : mine_(std::move(mine)) {}
  const PackedRecurrent& get() const { return given_ ? *given_ : mine_; }
  const PackedRecurrent* given_ = nullptr;
  PackedRecurrent mine_;
};

// W x + b for all tokens, [N,G*D].
Tensor input_product(const Cell& cell, const PackedRecurrent* packed);

// One node has one result: states, last h and last c lie one after another in
// it, and the Vars that the op returns are parts of it.
struct Bundle {
  Tensor all, states, last, last_cell;
  explicit Bundle(const Cell& cell);
  Bundle(Tensor all, const Cell& cell);
};
RecurrentStates unbundle(const Cell& cell, const Var& all);

// The gradient of an input so far, to add to; empty if nobody needs it.
Tensor sum_at(Grads dx, int at);
// target += a^T b, where a and b have a row for each token; none if empty.
void add_weight_gradient(const Tensor& target, kernels::ConstMatrixView a,
                         kernels::ConstMatrixView b);
// The gradient of U += dy^T x, where both have a row for each token: now, or
// later where there is a loop. Of a GRU's U these are two parts, `which`.
enum class Part { kAll, kGates, kCandidate };
void add_recurrent_gradient(const Cell& cell, Part which,
                            const DeferredWeight::Use& use, Grads dx);
// target += the sum of the rows; none if empty.
void add_bias_gradient(const Tensor& target, kernels::ConstMatrixView rows);
// Everything that follows from the gradient of W x + b.
void spread_input_gradient(const Cell& cell, const Tensor& dpre, Grads dx);
// [N,D], the state before each row.
Tensor states_before(const Cell& cell, const Tensor& states);

}  // namespace fovea::internal
