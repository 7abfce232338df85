#pragma once

#include <vector>

#include "fovea/autograd/lstmn.h"
#include "fovea/autograd/recurrent_cell.h"
#include "fovea/autograd/var.h"
#include "fovea/kernels/lstmn.h"

// What the ops of LSTMN share: everything but the gradients.
namespace fovea::internal {

// Sizes, tensors (empty: not given), and which input of the node each is.
struct Net {
  Cell cell;
  Tensor key, query, summary, v, added;
  bool given;      // the softmax is given
  bool keyed;      // keys are written, for these rows or for later ones
  int64_t scored;  // A
  int key_at = -1, query_at = -1, summary_at = -1, v_at = -1;  // -1: none
  int added_at = -1, weights_at = -1;

  // Throws if something does not fit. Puts the inputs of the node into
  // `inputs`.
  Net(const LstmnInput& in, const LstmnWeights& w, std::vector<Var>& inputs);

 private:
  void check_shapes() const;
};

// The matrices of the steps, as they are used forward or back: those packed
// beforehand, or packed now. Borrows the former.
class StepMatrices {
 public:
  enum class Way { kForward, kBack };
  StepMatrices(const Net& net, const PackedLstmn* packed, Way way);
  kernels::LstmnWeights view() const;

 private:
  const PackedLstmn& get() const { return given_ ? *given_ : mine_; }
  std::span<const float> v_;
  const PackedLstmn* given_ = nullptr;
  PackedLstmn mine_;
};

// States, cells and softmax, which lie one after another in one tensor.
struct LstmnParts {
  Tensor states, cells, softmax;
  LstmnParts(const Net& net, const Tensor& all);
};

// What a run made and the way back needs.
struct LstmnRun {
  Pairs pairs;
  Tensor slots, keys, gates, query, sums;
  Tensor all;  // see LstmnParts

  // `tape` has room for all rows.
  LstmnRun(const Net& net, const LstmnInput& in, const LstmnTape& tape,
           const PackedLstmn* packed);
  kernels::LstmnTape tape(const Net& net) const;
};

LstmnStates lstmn_states(const Net& net, const Pairs& pairs, const Var& all);

}  // namespace fovea::internal
