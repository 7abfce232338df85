#include "fovea/explain/rollout.h"

#include <algorithm>
#include <limits>
#include <queue>

#include "fovea/base/check.h"

namespace fovea {
namespace {

void check_layers(const std::vector<Tensor>& layers) {
  check(!layers.empty(), "rollout: there is no layer");
  for (const Tensor& a : layers) {
    check(a.shape().rank() == 2 && a.dim(0) == a.dim(1) &&
              a.dim(0) == layers.front().dim(0),
          "rollout: a layer has weights of shape ", a.shape(),
          "; all must be square and alike");
  }
}

// Half of what comes is the position's own.
Tensor with_residual(const Tensor& weights) {
  const int64_t n = weights.dim(0);
  const Tensor half = weights.clone();
  for (int64_t i = 0; i < n; ++i) {
    float* row = half.data() + i * n;
    for (int64_t j = 0; j < n; ++j) row[j] = 0.5f * row[j] + 0.5f * (i == j);
  }
  return half;
}

Tensor product(const Tensor& a, const Tensor& b) {
  const int64_t n = a.dim(0);
  const Tensor c = Tensor::zeros({n, n});
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t k = 0; k < n; ++k) {
      const float weight = a.data()[i * n + k];
      if (weight == 0) continue;
      for (int64_t j = 0; j < n; ++j) {
        c.data()[i * n + j] += weight * b.data()[k * n + j];
      }
    }
  }
  return c;
}

// A network of layers of nodes; all edges go down one layer. Dinic's algorithm.
class FlowNetwork {
 public:
  explicit FlowNetwork(const std::vector<Tensor>& layers)
      : n_(layers.front().dim(0)), nodes_((std::ssize(layers) + 1) * n_) {
    edges_of_.resize(nodes_);
    for (size_t l = 0; l < layers.size(); ++l) {
      const Tensor weights = with_residual(layers[l]);
      for (int64_t i = 0; i < n_; ++i) {
        for (int64_t j = 0; j < n_; ++j) {
          const float capacity = weights.data()[i * n_ + j];
          if (capacity > 0) join(node(l + 1, i), node(l, j), capacity);
        }
      }
    }
    full_ = capacities_;
  }

  int64_t node(int64_t layer, int64_t position) const {
    return layer * n_ + position;
  }
  int64_t top(int64_t position) const { return nodes_ - n_ + position; }

  double largest(int64_t from, int64_t to) {
    capacities_ = full_;
    double flow = 0;
    while (find_levels(from, to)) {
      next_.assign(nodes_, 0);
      while (const double more =
                 push(from, to, std::numeric_limits<double>::infinity())) {
        flow += more;
      }
    }
    return flow;
  }

 private:
  static constexpr double kNothing = 1e-9;

  // An edge and the way back; they are neighbours.
  void join(int64_t from, int64_t to, double capacity) {
    edges_of_[from].push_back(std::ssize(ends_));
    ends_.push_back(to);
    capacities_.push_back(capacity);
    edges_of_[to].push_back(std::ssize(ends_));
    ends_.push_back(from);
    capacities_.push_back(0);
  }

  bool find_levels(int64_t from, int64_t to) {
    levels_.assign(nodes_, -1);
    levels_[from] = 0;
    std::queue<int64_t> seen({from});
    for (; !seen.empty(); seen.pop()) {
      const int64_t at = seen.front();
      for (const int64_t e : edges_of_[at]) {
        if (capacities_[e] <= kNothing || levels_[ends_[e]] >= 0) continue;
        levels_[ends_[e]] = levels_[at] + 1;
        seen.push(ends_[e]);
      }
    }
    return levels_[to] >= 0;
  }

  // The flow of one path.
  double push(int64_t at, int64_t to, double most) {
    if (at == to) return most;
    for (size_t& i = next_[at]; i < edges_of_[at].size(); ++i) {
      const int64_t e = edges_of_[at][i];
      if (capacities_[e] <= kNothing || levels_[ends_[e]] != levels_[at] + 1) {
        continue;
      }
      const double flow = push(ends_[e], to, std::min(most, capacities_[e]));
      if (flow > 0) {
        capacities_[e] -= flow;
        capacities_[e ^ 1] += flow;
        return flow;
      }
    }
    return 0;
  }

  int64_t n_, nodes_;
  std::vector<std::vector<int64_t>> edges_of_;
  std::vector<int64_t> ends_;
  std::vector<double> capacities_, full_;
  std::vector<int> levels_;
  std::vector<size_t> next_;
};

}  // namespace

std::vector<Tensor> attention_rollout(const std::vector<Tensor>& layers) {
  check_layers(layers);
  std::vector<Tensor> all = {with_residual(layers.front())};
  for (size_t l = 1; l < layers.size(); ++l) {
    all.push_back(product(with_residual(layers[l]), all.back()));
  }
  return all;
}

std::vector<float> attention_flow(const std::vector<Tensor>& layers,
                                  int64_t row) {
  check_layers(layers);
  const int64_t n = layers.front().dim(0);
  check(row >= 0 && row < n, "flow: row ", row, " of ", n);
  FlowNetwork network(layers);
  std::vector<float> flows;
  for (int64_t j = 0; j < n; ++j) {
    flows.push_back(static_cast<float>(
        network.largest(network.top(row), network.node(0, j))));
  }
  return flows;
}

}  // namespace fovea
