#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <span>

#include "fovea/tensor/tensor.h"

namespace fovea {

namespace internal {
struct Node;
}

// Where the gradient of one input of an op goes. Gradients add up: a value that
// is used twice gets the sum.
class Grad {
 public:
  Grad() = default;
  explicit Grad(internal::Node* node) : node_(node) {}

  // False when nobody needs this gradient: compute nothing then.
  explicit operator bool() const { return node_ != nullptr; }

  struct Target {
    Tensor tensor;    // of the input's shape
    bool accumulate;  // true: add to it; false: it holds garbage, overwrite it
  };
  Target target() const;
  // The gradient so far, or zeros: add to it.
  Tensor sum() const;
  // Adds dy. Costs nothing when it is the first contribution.
  void add(const Tensor& dy) const;

 private:
  internal::Node* node_ = nullptr;
};

using Grads = std::span<const Grad>;
// Adds to dx what follows from dy, the gradient of the op's result. Holds
// tensors, never a Var: a Var would keep the whole graph alive.
using Backward = std::function<void(const Tensor& dy, Grads dx)>;

// A tensor with a history. Copies share value, gradient and history.
class Var {
 public:
  Var() = default;                             // empty
  Var(Tensor value, bool needs_grad = false);  // NOLINT: converts
  static Var parameter(Tensor value) { return {std::move(value), true}; }

  explicit operator bool() const { return node_ != nullptr; }
  const Tensor& value() const;
  const Shape& shape() const { return value().shape(); }
  int64_t dim(int axis) const { return value().dim(axis); }
  bool needs_grad() const;
  // True for copies of one Var.
  bool shares(const Var& other) const { return node_ == other.node_; }
  // Makes a leaf and all copies of it a constant of the same shape.
  void fix(Tensor value) const;

  // Empty before the first backward(). Of leaves only: the gradients of inner
  // nodes are freed on the way.
  Tensor grad() const;
  void clear_grad() const;

  // Adds d(this)/d(leaf) to the gradient of every leaf; this is one number, or
  // `seed` says with what to begin. Frees the graph.
  void backward() const;
  void backward(const Tensor& seed) const;

 private:
  friend Var record(Tensor, std::span<const Var>, Backward);
  std::shared_ptr<internal::Node> node_;
};

// The result of an op. Keeps `backward` only if an input needs its gradient and
// no NoGrad scope is open; dx has one entry for each input.
Var record(Tensor value, std::span<const Var> inputs, Backward backward);
inline Var record(Tensor value, std::initializer_list<Var> inputs,
                  Backward backward) {
  return record(std::move(value), {inputs.begin(), inputs.size()},
                std::move(backward));
}

// True if an op on these inputs must keep what its backward pass needs.
bool recording(std::initializer_list<Var> inputs);

// While one lives, ops of this thread record nothing.
class NoGrad {
 public:
  NoGrad();
  ~NoGrad();
  NoGrad(const NoGrad&) = delete;
  NoGrad& operator=(const NoGrad&) = delete;

 private:
  bool before_;
};

}  // namespace fovea
