#pragma once

#include <cstdint>
#include <span>

#include "fovea/kernels/view.h"

namespace fovea::kernels {

// A convolution along the rows of each sequence of a ragged batch, stride 1:
//   y[t] = bias + sum over k of weight[:, k, :] x[t + k * dilation - left]
// where rows beyond the ends of the sequence count as zero, so that a sequence
// never sees its neighbours. left = 0 looks ahead, (taps-1) * dilation is
// causal, half of that centred.
struct Conv1d {
  std::span<const int> offsets;  // of the sequences, see Segments
  int64_t taps = 1;
  int64_t dilation = 1;
  int64_t left = 0;
};

// x [N, in], weight [out, taps * in], y [N, out]; bias has `out` numbers or
// none.
void conv1d(const Conv1d& conv, ConstMatrixView x, ConstMatrixView weight,
            std::span<const float> bias, MatrixView y);

// dx = what follows from dy, or dx += it. The gradient of the bias is the sum
// of dy's columns.
void conv1d_backward_input(const Conv1d& conv, ConstMatrixView dy,
                           ConstMatrixView weight, MatrixView dx,
                           bool accumulate);
void conv1d_backward_weight(const Conv1d& conv, ConstMatrixView x,
                            ConstMatrixView dy, MatrixView dweight,
                            bool accumulate);

}  // namespace fovea::kernels
