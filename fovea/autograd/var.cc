#include "fovea/autograd/var.h"

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include "fovea/base/check.h"
#include "fovea/kernels/elementwise.h"

namespace fovea {
namespace internal {

struct Node {
  Tensor value;
  Tensor grad;
  bool grad_is_fresh = true;    // nothing has been added since clear_grad()
  bool grad_is_shared = false;  // borrowed: copy it if others still hold it
  bool needs_grad = false;
  bool spent = false;  // backward() has been here and freed the history
  uint64_t number = 0;
  uint64_t visit = 0;
  std::vector<std::shared_ptr<Node>> inputs;
  Backward backward;

  ~Node() { release(std::move(inputs)); }

  // Frees a chain of any length in a loop: nodes that die inside the loop hand
  // their inputs to it instead of freeing them in turn.
  static void release(std::vector<std::shared_ptr<Node>> nodes) {
    thread_local std::vector<std::shared_ptr<Node>>* pending = nullptr;
    if (pending) {
      for (auto& node : nodes) pending->push_back(std::move(node));
      return;
    }
    if (nodes.empty()) return;
    pending = &nodes;
    while (!nodes.empty()) {
      std::shared_ptr<Node> last = std::move(nodes.back());
      nodes.pop_back();
      last.reset();
    }
    pending = nullptr;
  }
};

}  // namespace internal

namespace {

using internal::Node;

thread_local bool no_grad = false;
std::atomic<uint64_t> next_number{1};
std::atomic<uint64_t> next_visit{1};

// All nodes with a history or a gradient to receive, the newest first.
std::vector<std::shared_ptr<Node>> newest_first(std::shared_ptr<Node> root) {
  const uint64_t visit = next_visit++;
  std::vector<std::shared_ptr<Node>> found{std::move(root)};
  found[0]->visit = visit;
  for (size_t i = 0; i < found.size(); ++i) {
    for (size_t j = 0; j < found[i]->inputs.size(); ++j) {
      const std::shared_ptr<Node>& input = found[i]->inputs[j];
      if (!input->needs_grad || input->visit == visit) continue;
      check(!input->spent,
            "backward: part of the graph was freed by an "
            "earlier backward()");
      input->visit = visit;
      found.push_back(input);
    }
  }
  std::ranges::sort(found, [](const auto& a, const auto& b) {
    return a->number > b->number;
  });
  return found;
}

void spread(Node& node) {
  std::vector<Grad> grads;
  grads.reserve(node.inputs.size());
  for (const auto& input : node.inputs) {
    grads.emplace_back(input->needs_grad ? input.get() : nullptr);
  }
  node.backward(node.grad, grads);
}

}  // namespace

Grad::Target Grad::target() const {
  Node& n = *node_;
  if (n.grad_is_shared) {
    if (n.grad.is_shared()) n.grad = n.grad.clone();
    n.grad_is_shared = false;
  }
  const bool accumulate = !n.grad_is_fresh;
  if (!n.grad) n.grad = Tensor(n.value.shape());
  n.grad_is_fresh = false;
  return {n.grad, accumulate};
}

Tensor Grad::sum() const {
  auto [tensor, accumulate] = target();
  if (!accumulate) tensor.fill(0.0f);
  return tensor;
}

void Grad::add(const Tensor& dy) const {
  Node& n = *node_;
  if (n.grad_is_fresh && n.backward) {  // an inner node may borrow
    n.grad = dy.reshaped(n.value.shape());
    n.grad_is_fresh = false;
    n.grad_is_shared = true;
    return;
  }
  auto [tensor, accumulate] = target();
  if (accumulate) {
    kernels::add(dy.span(), tensor.span());
  } else {
    tensor.copy_from(dy);
  }
}

Var::Var(Tensor value, bool needs_grad)
    : node_(std::make_shared<internal::Node>()) {
  node_->value = std::move(value);
  node_->needs_grad = needs_grad;
  node_->number = next_number++;
}

const Tensor& Var::value() const {
  check(node_ != nullptr, "an empty Var has no value");
  return node_->value;
}

bool Var::needs_grad() const { return node_ && node_->needs_grad; }

void Var::fix(Tensor value) const {
  check(node_ && !node_->backward, "only a leaf can become a constant");
  check(value.shape() == shape(), "a constant of shape ", value.shape(),
        " in the place of ", shape());
  node_->value = std::move(value);
  node_->needs_grad = false;
}

Tensor Var::grad() const {
  return node_ && !node_->grad_is_fresh ? node_->grad : Tensor();
}

void Var::clear_grad() const { node_->grad_is_fresh = true; }

void Var::backward() const {
  check(value().size() == 1, "backward: a value of shape ", shape(),
        " is not one number; give a seed");
  backward(Tensor::full(shape(), 1.0f));
}

void Var::backward(const Tensor& seed) const {
  check(needs_grad(), "backward: nothing here needs a gradient");
  check(!node_->spent,
        "backward: the graph was freed by an earlier backward()");
  check(seed.shape() == shape(), "backward: a seed of shape ", seed.shape(),
        " for a value of shape ", shape());
  Grad(node_.get()).add(seed);
  auto nodes = newest_first(node_);
  NoGrad no_history;
  for (auto& node : nodes) {
    if (!node->backward) continue;  // a leaf keeps its gradient
    if (!node->grad_is_fresh) spread(*node);
    node->backward = nullptr;
    node->grad = Tensor();
    node->grad_is_fresh = true;
    node->grad_is_shared = false;
    node->spent = true;
    Node::release(std::exchange(node->inputs, {}));
    node.reset();
  }
}

Var record(Tensor value, std::span<const Var> inputs, Backward backward) {
  Var result(std::move(value));
  if (no_grad ||
      !std::ranges::any_of(inputs, [](auto& v) { return v.needs_grad(); })) {
    return result;
  }
  Node& node = *result.node_;
  node.needs_grad = true;
  node.backward = std::move(backward);
  node.inputs.reserve(inputs.size());
  for (const Var& input : inputs) {
    check(input.node_ != nullptr, "an op was given an empty Var");
    node.inputs.push_back(input.node_);
  }
  return result;
}

bool recording(std::initializer_list<Var> inputs) {
  return !no_grad &&
         std::ranges::any_of(inputs, [](auto& v) { return v.needs_grad(); });
}

NoGrad::NoGrad() : before_(std::exchange(no_grad, true)) {}
NoGrad::~NoGrad() { no_grad = before_; }

}  // namespace fovea
