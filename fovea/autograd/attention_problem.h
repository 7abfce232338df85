#pragma once

#include <vector>

#include "fovea/autograd/attention.h"

// What the ops of fused attention share.
namespace fovea {

inline kernels::MatrixView matrix_view(const Tensor& x) {
  return {x.data(), x.rows(), x.cols()};
}

// Queries, keys and values, or their gradients, wherever they lie.
struct AttentionViews {
  kernels::MatrixView q, k, v;
};

// What forward and backward share; owns what the kernel's options point to.
struct AttentionProblem {
  std::vector<AttentionSpan> spans;
  AttentionConfig config;
  kernels::AttentionOptions options;

  AttentionProblem(std::vector<AttentionSpan> spans,
                   const AttentionConfig& config);
  AttentionProblem(const AttentionProblem&) = delete;
  AttentionProblem& operator=(const AttentionProblem&) = delete;

  void check_options() const;
  // Checks everything and fills in the scale; returns whether the spans hold
  // every query.
  bool fit(const AttentionViews& x);
};

}  // namespace fovea
