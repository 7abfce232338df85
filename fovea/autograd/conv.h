#pragma once

#include <cstdint>

#include "fovea/autograd/var.h"
#include "fovea/tensor/segments.h"

namespace fovea {

// Which rows an output sees: itself and those before it, after it, or both.
enum class Conv1dReach { kCausal, kCentred, kAhead };

struct Conv1dOptions {
  Conv1dReach reach = Conv1dReach::kCentred;  // one more after than before if
                                              // the number of taps is even
  int64_t dilation = 1;
};

// Rows before its own that an output of so many taps sees.
int64_t rows_before(const Conv1dOptions& options, int64_t taps);

// Convolution along each sequence of x [N,in], stride 1, with zeros beyond its
// ends: [N,out]. weight [out,taps,in]; bias [out] or empty. An output at the
// last tap's place sees its own row when causal, at the first one's when ahead.
Var conv1d(const Var& x, const Segments& of, const Var& weight, const Var& bias,
           const Conv1dOptions& options = {});

struct Conv2dOptions {
  int64_t stride = 1;
  int64_t pad_height = 0, pad_width = 0;  // zeros on each side
};

// Convolution of images with channels last: x [B,H,W,C], weight [F,KH,KW,C],
// bias [F] or empty, result [B,H',W',F], H' = (H + 2 pad - KH) / stride + 1.
Var conv2d(const Var& x, const Var& weight, const Var& bias,
           const Conv2dOptions& options = {});

}  // namespace fovea
