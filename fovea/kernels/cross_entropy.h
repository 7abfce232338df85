#pragma once

#include <span>

#include "fovea/kernels/view.h"

namespace fovea::kernels {

// What label smoothing does with the eps that it takes from the right class.
enum class Smoothing {
  kWrongClasses,  // eps / (V-1) to every wrong one
  kAllClasses,    // eps / V to every one, the right one included
};

struct CrossEntropyOptions {
  float smoothing = 0.0f;  // eps
  Smoothing form = Smoothing::kWrongClasses;
  int ignore = -1;     // rows with this target count for nothing
  float scale = 1.0f;  // of the gradient: 1 / the number the loss is divided by
};

struct RowLoss {
  float loss = 0.0f;     // against the smoothed target
  float nll = 0.0f;      // -log p(target)
  bool counted = false;  // not ignored
  bool correct = false;  // no class has a higher logit than the target
};

// -sum_c q_c log softmax(logits)_c for each row, with q the smoothed target.
void cross_entropy(ConstMatrixView logits, std::span<const int> targets,
                   std::span<RowLoss> losses,
                   const CrossEntropyOptions& options);

// The same, and replaces the logits by the gradient scale * (softmax - q), 0 in
// ignored rows, so that no second matrix of this size is needed. Rows do not
// depend on each other.
void cross_entropy_with_gradient(MatrixView logits,
                                 std::span<const int> targets,
                                 std::span<RowLoss> losses,
                                 const CrossEntropyOptions& options);

}  // namespace fovea::kernels
