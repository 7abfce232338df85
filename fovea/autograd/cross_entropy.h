#pragma once

#include <cstdint>
#include <span>

#include "fovea/autograd/var.h"
#include "fovea/kernels/cross_entropy.h"

namespace fovea {

using kernels::Smoothing;

struct CrossEntropyOptions {
  float smoothing = 0.0f;                     // eps
  Smoothing form = Smoothing::kWrongClasses;  // what becomes of eps
  int ignore = -1;          // rows with this target count for nothing
  double normaliser = 0.0;  // divides the sum over rows (1: the sum itself, or
                            // the number of sentences); 0: by the rows counted
};

struct CrossEntropy {
  Var loss;             // one number: sum over rows / normaliser
  double sum = 0;       // of the rows' losses, not divided
  double nll = 0;       // sum of -log p(target): exp(nll / rows) is perplexity
  int64_t rows = 0;     // counted, not ignored
  int64_t correct = 0;  // rows where no class scores higher than the target
};

// Softmax cross-entropy of logits [N,V] against one target class a row.
//
// Consumes the logits when it records: their memory then holds the gradient,
// so that a second [N,V] never exists. Afterwards logits.value() must not be
// read, no other op may use the logits, and the op that made them must not need
// its own result in its backward pass (linear does not; an activation may: put
// a copy in between). Without a graph the logits stay as they are.
CrossEntropy cross_entropy(const Var& logits, std::span<const int> targets,
                           const CrossEntropyOptions& options = {});

// One loss a row, [N], 0 where ignored, for rows that are weighted one by one;
// `normaliser` is not used. Consumes the logits likewise.
Var cross_entropy_rows(const Var& logits, std::span<const int> targets,
                       const CrossEntropyOptions& options = {});

}  // namespace fovea
