#pragma once

#include <span>

#include "fovea/kernels/view.h"
#include "fovea/kernels/weight_matrix.h"
#include "fovea/tensor/segments.h"

// Recurrent cells (SPEC D2) over a whole ragged batch. N rows in B sequences,
// width D. The input products W x + b of all steps come in, one row for each
// token; what is left here is the loop over time. Sequences that have ended
// leave the step, nothing is padded. Sequences are shared out among the threads
// and a row of a step's product depends on that row alone, so a sequence gives
// the same bits in any batch and with any number of threads.
//
// "No data" below means a view whose data is null.
namespace fovea::kernels {

struct Timeline {
  Segments of;
  bool reverse = false;  // from the last row of each sequence to its first
};

// out[row] = the state before that row: the row before it in running order, or
// that sequence's row of `initial` (zeros if it has no data).
void previous_rows(const Timeline& time, ConstMatrixView states,
                   ConstMatrixView initial, MatrixView out);

// h = tanh(pre + U h)
struct ElmanForward {
  Timeline time;
  const WeightMatrix& recurrent;  // x -> x U^T, U [D,D]
  ConstMatrixView h0;             // [B,D]; no data: zeros
  ConstMatrixView pre;            // [N,D], W x + b
  MatrixView states;              // [N,D]
  MatrixView last;                // [B,D], h0 for an empty sequence
};
void elman_forward(const ElmanForward& args);

struct ElmanBackward {
  Timeline time;
  const WeightMatrix& recurrent;  // x -> x U
  ConstMatrixView states;
  ConstMatrixView dstates, dlast;
  MatrixView dpre;  // [N,D], overwritten
  MatrixView dh0;   // [B,D], added to; or no data
};
void elman_backward(const ElmanBackward& args);

// i, f, o = sigmoid, g = tanh of the four parts of (pre + U h);
// c' = f c + i g; h' = o tanh(c').
struct LstmForward {
  Timeline time;
  const WeightMatrix& recurrent;  // x -> x U^T, U [4D,D]
  ConstMatrixView h0, c0;         // [B,D]; no data: zeros
  MatrixView gates;   // [N,4D], W x + b; becomes i, f, o, g if there are cells
  MatrixView cells;   // [N,D], c for the backward pass; or no data
  MatrixView states;  // [N,D]
  MatrixView last_h, last_c;  // [B,D], h0 and c0 for an empty sequence
};
void lstm_forward(const LstmForward& args);

struct LstmBackward {
  Timeline time;
  const WeightMatrix& recurrent;  // x -> x U
  ConstMatrixView c0;             // no data: zeros
  ConstMatrixView cells;
  ConstMatrixView dstates, dlast_h, dlast_c;
  MatrixView gates;     // i, f, o, g; becomes the gradient of W x + b
  MatrixView dh0, dc0;  // [B,D], added to; or no data
};
void lstm_backward(const LstmBackward& args);

// Where the reset gate r acts on the candidate n.
enum class GruReset {
  kBefore,  // n = tanh(W x + b + U (r * h)), Bahdanau et al. 2015
  kAfter,   // n = tanh(W x + b + r * (U h + b')), cuDNN and PyTorch
};
// What the update gate z does.
enum class GruUpdate {
  kTakesNew,  // h' = (1 - z) h + z n, Bahdanau et al. 2015
  kKeepsOld,  // h' = z h + (1 - z) n
};
struct GruVariant {
  GruReset reset = GruReset::kBefore;
  GruUpdate update = GruUpdate::kTakesNew;
};

// z, r = sigmoid of the first two parts of (pre + U h), n as the variant says.
struct GruForward {
  Timeline time;
  GruVariant variant;
  const WeightMatrix& recurrent;  // x -> x U^T; kBefore: z and r of U only
  const WeightMatrix& candidate;  // kBefore: the rest of U; kAfter: not used
  std::span<const float> candidate_bias;  // kAfter: b' [D], or empty
  ConstMatrixView h0;                     // [B,D]; no data: zeros
  MatrixView gates;   // [N,3D], W x + b; becomes z, r, n if there is `inner`
  MatrixView inner;   // [N,D], r * h or U h + b' for backward; or no data
  MatrixView states;  // [N,D]
  MatrixView last;    // [B,D], h0 for an empty sequence
};
void gru_forward(const GruForward& args);

struct GruBackward {
  Timeline time;
  GruVariant variant;
  const WeightMatrix& recurrent;  // x -> x U; kBefore: z and r of U only
  const WeightMatrix& candidate;  // kBefore: the rest of U
  ConstMatrixView h0;             // no data: zeros
  ConstMatrixView states;
  ConstMatrixView dstates, dlast;
  MatrixView gates;  // z, r, n; becomes the gradient of W x + b
  MatrixView inner;  // kAfter: becomes the gradient of U h + b'
  MatrixView dh0;    // [B,D], added to; or no data
};
void gru_backward(const GruBackward& args);

}  // namespace fovea::kernels
