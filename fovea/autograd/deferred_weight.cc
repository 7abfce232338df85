#include "fovea/autograd/deferred_weight.h"

#include <utility>
#include <vector>

#include "fovea/autograd/matrix.h"
#include "fovea/base/check.h"
#include "fovea/kernels/elementwise.h"
#include "fovea/kernels/gemm.h"

namespace fovea {

struct DeferredWeight::Later::Uses {
  int64_t out, in;
  std::vector<Use> all;
};

namespace {

using kernels::ConstMatrixView;

ConstMatrixView columns(const DeferredWeight::Use& use, int64_t out) {
  return matrix(use.dy).col_range(use.first, use.first + out);
}

void add_product(ConstMatrixView dy, ConstMatrixView x, const Grad& grad) {
  const auto [target, accumulate] = grad.target();
  kernels::gemm(dy, x, matrix(target),
                {.transpose_a = true, .accumulate = accumulate});
}

// The rows of all uses, one below the other.
void add_product_of_all(const std::vector<DeferredWeight::Use>& uses,
                        const Shape& weight, const Grad& grad) {
  int64_t rows = 0;
  for (const auto& use : uses) rows += use.x.dim(0);
  const Tensor x({rows, weight[1]}), dy({rows, weight[0]});
  int64_t begin = 0;
  for (const auto& use : uses) {
    const int64_t end = begin + use.x.dim(0);
    kernels::copy(matrix(use.x), matrix(x).row_range(begin, end));
    kernels::copy(columns(use, weight[0]), matrix(dy).row_range(begin, end));
    begin = end;
  }
  add_product(matrix(dy), matrix(x), grad);
}

}  // namespace

DeferredWeight::DeferredWeight(const Var& weight) {
  check(weight.shape().rank() == 2, "a deferred weight of shape ",
        weight.shape(), " is not a matrix");
  later_.uses_ = std::make_shared<Later::Uses>(
      Later::Uses{weight.dim(0), weight.dim(1), {}});
  // The node's own number is nothing: its gradient only says that some op has
  // sent one.
  node_ = record(Tensor::zeros({1}), {weight},
                 [uses = later_.uses_](const Tensor&, Grads dx) {
                   const std::vector<Use> all = std::exchange(uses->all, {});
                   if (all.size() == 1) {
                     add_product(columns(all[0], uses->out), matrix(all[0].x),
                                 dx[0]);
                   } else {
                     add_product_of_all(all, {uses->out, uses->in}, dx[0]);
                   }
                 });
}

void DeferredWeight::Later::add(const Grad& grad, Use use) const {
  if (!grad) return;
  grad.sum();
  uses_->all.push_back(std::move(use));
}

}  // namespace fovea
