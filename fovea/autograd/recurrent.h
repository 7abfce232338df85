#pragma once

#include <memory>

#include "fovea/autograd/deferred_weight.h"
#include "fovea/autograd/var.h"
#include "fovea/kernels/recurrent.h"
#include "fovea/kernels/weight_matrix.h"
#include "fovea/tensor/segments.h"

// Recurrent cells over a whole ragged batch as one op (SPEC D2): the input
// products of all steps are one product, so are the weight gradients. G is the
// number of gates: 1 (Elman), 4 (LSTM: i, f, o, g), 3 (GRU: z, r, n).
//
// A single step, for decoders, is a batch of sequences of one token with the
// state of the step before as h0 (and c0).
//
// Where nothing is recorded, a sequence gives the same bits in any batch, with
// any number of threads, and whole or step by step.
namespace fovea {

// The weights of a cell laid out once for inference. Immutable, so threads may
// share one.
struct PackedRecurrent {
  kernels::WeightMatrix input;      // W
  kernels::WeightMatrix recurrent;  // U; GRU with reset before: z and r only
  kernels::WeightMatrix candidate;  // GRU with reset before: n of U
};
PackedRecurrent pack_recurrent(
    const Tensor& input, const Tensor& recurrent,
    kernels::Precision precision = kernels::Precision::kFloat32);
PackedRecurrent pack_gru(
    const Tensor& input, const Tensor& recurrent, kernels::GruReset reset,
    kernels::Precision precision = kernels::Precision::kFloat32);

struct RecurrentLoop;

struct RecurrentWeights {
  Var input;            // W [G*D,in]
  Var recurrent;        // U [G*D,D]
  Var bias = {};        // b [G*D], or empty
  Var inner_bias = {};  // b' [D], or empty; only GRU with reset after
  // For inference: spares the packing in each call; W and U may then be empty.
  const PackedRecurrent* packed = nullptr;
  // For a loop that calls the op once a step; or null.
  std::shared_ptr<const RecurrentLoop> loop = nullptr;
};

// The weights of a cell made ready for a loop whose steps depend on each other
// by more than the state, so that the op is called once a step. They are packed
// once for all steps, and the weight gradients are one product each after the
// last step. Of one graph.
struct RecurrentLoop {
  PackedRecurrent forward;
  // Where something is recorded:
  PackedRecurrent backward;                // x -> x W and x -> x U
  DeferredWeight input, gates, candidate;  // the last: the n of a GRU's U
};
// Of elman and lstm, and of gru.
std::shared_ptr<const RecurrentLoop> loop_recurrent(const RecurrentWeights& w);
std::shared_ptr<const RecurrentLoop> loop_gru(const RecurrentWeights& w,
                                              kernels::GruReset reset);

struct RecurrentInput {
  Var x;  // [N,in]
  Segments of;
  bool reverse = false;  // from the true end of each sequence to its beginning
  Var h0 = {};           // [B,D], or empty: zeros
  Var c0 = {};           // [B,D], or empty: zeros; only LSTM
};

struct RecurrentStates {
  Var states;     // [N,D], in the order of x
  Var last;       // [B,D], the last in running order; h0 where there is no row
  Var last_cell;  // [B,D], LSTM only
};

RecurrentStates elman(const RecurrentInput& in, const RecurrentWeights& w);
RecurrentStates lstm(const RecurrentInput& in, const RecurrentWeights& w);
RecurrentStates gru(const RecurrentInput& in, const RecurrentWeights& w,
                    const kernels::GruVariant& variant = {});

}  // namespace fovea
