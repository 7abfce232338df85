#pragma once

#include <cstdint>
#include <span>

#include "fovea/kernels/optim.h"
#include "fovea/kernels/view.h"

namespace fovea::kernels {

// A parameter of Adafactor. The second moment of a matrix is kept as the
// running means of its rows and columns: rows + cols numbers instead of
// rows * cols. A vector (one row) keeps all of it in `cols` and none in `rows`.
// The state is zero before the first step.
struct AdafactorTensor {
  MatrixView param;  // without gaps between the rows
  std::span<const float> grad;
  std::span<float> rows;  // one for each row; empty if there is one row
  std::span<float> cols;  // one for each column
  bool decays = true;
};

// Shazeer & Stern 2018, without momentum.
struct AdafactorOptions {
  float decay_power = 0.8f;    // of the running means: 1 - step^-decay_power
  float epsilon = 1e-30f;      // added to squared gradients
  float clip = 1.0f;           // largest root mean square of an update
  bool scale_by_param = true;  // multiply the rate by the parameter's own root
  float scale_floor = 1e-3f;   // mean square, or by this if it is smaller
};

// The paper's rate is min(1e-2, 1/sqrt(step)). Weight decay subtracts
// rate * decay * param. Does not depend on the threads.
void adafactor(std::span<const AdafactorTensor> tensors, const Step& step,
               const AdafactorOptions& options);

}  // namespace fovea::kernels
