#pragma once

#include <span>

#include "fovea/autograd/pairs.h"
#include "fovea/autograd/recurrent.h"
#include "fovea/autograd/var.h"
#include "fovea/tensor/rows.h"
#include "fovea/tensor/segments.h"

// LSTMN over a whole ragged batch as one op: see kernels/lstmn.h for what it
// computes. Where nothing is recorded, a sequence gives the same bits in any
// batch, with any number of threads, and whole or step by step.
namespace fovea {

// Weights laid out once for inference. Immutable, so threads may share one.
struct PackedLstmn {
  PackedRecurrent cell;
  kernels::WeightMatrix key, query, summary;
};

struct LstmnWeights {
  RecurrentWeights cell;  // W [4D,in], U [4D,D], b; gates i, f, o, g
  Var key;                // W_h [A,D]
  Var query;              // W_x [A,in]
  Var summary = {};       // W_r [A,D], or empty: no such term
  Var v;                  // [A]
  const PackedLstmn* packed = nullptr;  // for inference: spares the packing
};
PackedLstmn pack_lstmn(
    const LstmnWeights& weights,
    kernels::Precision precision = kernels::Precision::kFloat32);

struct LstmnInput {
  Var x;  // [N,in]
  Segments of;
  Var added = {};  // [N,D], to the cells (deep fusion); or empty
  // A number for each row and slot that stands for the softmax; or empty.
  // Nothing is scored then.
  Var weights = {};
};

struct LstmnStates {
  Var states, cells;  // [N,D]
  Var weights;        // of each row and slot
  Pairs pairs;        // row i of a sequence reads its slots 0 to i; slot 0 is
                      // empty, slot j + 1 holds row j
};

LstmnStates lstmn(const LstmnInput& in, const LstmnWeights& w);

// The slots of sequences that go on, for inference.
struct LstmnTape {
  Tensor slots, keys;  // h and c, [rows with spare ones, 2D]; W_h h [.., A]
  Tensor summary;      // [B,D], h~ of the last row
  Rows rows;           // the slots of each sequence

  // Those of some sequences, which may come twice.
  LstmnTape select(std::span<const int> sequences) const;
};
LstmnTape empty_lstmn_tape(int sequences, int64_t width, int64_t scored);

// Goes on with the sequences of a tape, and writes to it. Throws if a graph
// would be recorded.
LstmnStates lstmn(LstmnTape& tape, const LstmnInput& in, const LstmnWeights& w);

}  // namespace fovea
