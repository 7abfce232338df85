#pragma once

#include <cstdint>
#include <memory>

#include "fovea/autograd/var.h"

namespace fovea {

// A weight that many ops of one graph multiply by, such as the steps of a loop.
// Its gradient is one product after all of them, in the place of one for each:
// backward() walks down the numbers of the nodes, so that a node made before
// the ops comes after them. Copies share.
class DeferredWeight {
 public:
  DeferredWeight() = default;                  // none
  explicit DeferredWeight(const Var& weight);  // [out,in]
  explicit operator bool() const { return static_cast<bool>(node_); }

  // Stands for the weight among the inputs of an op.
  const Var& node() const { return node_; }

  // The rows of an op's x [n,in] and dy, of which the columns from `first` on
  // are the weight's `out`.
  struct Use {
    Tensor x, dy;
    int64_t first = 0;
  };
  // What ops keep for their backward passes.
  class Later {
   public:
    // For `grad`, that of the node: later adds dy^T x to the weight's gradient.
    // Does nothing if nobody needs it.
    void add(const Grad& grad, Use use) const;

   private:
    friend class DeferredWeight;
    struct Uses;
    std::shared_ptr<Uses> uses_;
  };
  const Later& later() const { return later_; }

 private:
  Var node_;
  Later later_;
};

}  // namespace fovea
