#pragma once

#include <span>

#include "fovea/kernels/pairs.h"
#include "fovea/kernels/view.h"
#include "fovea/kernels/weight_matrix.h"
#include "fovea/tensor/segments.h"

// LSTMN, an LSTM that attends to all its earlier states (SPEC B13), over a
// whole ragged batch. N rows in B sequences, width D, scores of width A. Each
// sequence has a tape of slots, of which the first is zero: step t reads those
// before it,
//   q_t = W_x x_t + W_r h~_(t-1),  s = softmax_i(v.tanh(W_h h_i + q_t)),
//   (h~_t, c~_t) = sum_i s_i (h_i, c_i),
// makes an LSTM step from h~_t and c~_t, and writes the next slot. The products
// W x + b and W_x x of all steps come in. Sequences are shared out as in
// recurrent.h: the same bits in any batch and with any number of threads.
namespace fovea::kernels {

struct LstmnWeights {
  const WeightMatrix& recurrent;  // of U [4D,D]
  const WeightMatrix& key;        // of W_h [A,D]
  const WeightMatrix& summary;    // of W_r [A,D]; empty: no such term
  std::span<const float> v;       // [A]
};

// Of each row the slots that it reads, from the first one of its sequence on;
// it writes the one behind them. One head.
struct LstmnTape {
  Segments of;
  PairLayout pairs;
  MatrixView slots;  // h and c, [.., 2D]
  MatrixView keys;   // W_h h, [.., A]; no columns: nobody will need them
};

struct LstmnForward {
  LstmnTape tape;               // the slots before the first row are there
  const LstmnWeights& weights;  // x -> x U^T and so on
  bool given;                   // the softmax is given, nothing is scored
  ConstMatrixView summary0;     // [B,D], h~ before the first row; no data: zero
  ConstMatrixView added;        // [N,D], to the cells; or no data
  MatrixView gates;             // [N,4D], W x + b; becomes i, f, o, g
  MatrixView query;             // [N,A], W_x x; becomes q
  MatrixView sums;              // [N,2D], h~ and c~
  MatrixView states, cells;     // [N,D]
  float* softmax;               // a number for each pair
};
void lstmn_forward(const LstmnForward& args);

// Of tapes that begin with one zero slot.
struct LstmnBackward {
  LstmnTape tape;
  const LstmnWeights& weights;  // x -> x U and so on
  bool given;
  ConstMatrixView query, sums, cells;
  const float* softmax;
  ConstMatrixView dstates, dcells;
  const float* dsoftmax;     // what the users of the softmax sent back
  MatrixView gates;          // i, f, o, g; becomes the gradient of W x + b
  MatrixView dslots, dkeys;  // as the tape's; overwritten
  MatrixView dquery;         // [N,A], overwritten
  MatrixView dadded;         // [N,D], overwritten; or no data
  float* dscores;  // of each score, or of each weight if they are given
};
void lstmn_backward(const LstmnBackward& args);

}  // namespace fovea::kernels
