#pragma once

#include "fovea/autograd/var.h"

namespace fovea {

// Running mean and variance of each column, [C].
struct ColumnStatistics {
  Tensor mean, variance;
};

struct BatchNormOptions {
  float epsilon = 1e-5f;
  float momentum = 0.1f;  // share of the new statistics in the running ones
};

// What training changes besides parameters is a result, not a side effect: the
// caller stores the new running statistics after the step.
struct BatchNormed {
  Var y;
  ColumnStatistics running;
};

// y = (x - mean) / sqrt(variance + epsilon) * gain + bias over all but the last
// axis of x [...,C] (Ioffe & Szegedy 2015), with the statistics of x itself.
// The variance that normalises is divided by the number of rows, the one that
// goes into the running statistics by one less. gain, bias [C].
BatchNormed batch_norm(const Var& x, const Var& gain, const Var& bias,
                       const ColumnStatistics& running,
                       const BatchNormOptions& options = {});

// The same with given statistics, as constants: for evaluation, and for
// training with frozen statistics.
Var batch_norm_fixed(const Var& x, const Var& gain, const Var& bias,
                     const ColumnStatistics& statistics,
                     const BatchNormOptions& options = {});

}  // namespace fovea
