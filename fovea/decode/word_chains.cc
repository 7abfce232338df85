#include "fovea/decode/word_chains.h"

#include <algorithm>

namespace fovea {

int WordChains::add(const Node& node) {
  nodes_.push_back(node);
  return static_cast<int>(nodes_.size()) - 1;
}

int64_t WordChains::add_weights(std::span<const float> weights) {
  const auto begin = std::ssize(weights_);
  weights_.insert(weights_.end(), weights.begin(), weights.end());
  return begin;
}

std::vector<int> WordChains::words(int node, int length) const {
  std::vector<int> ids(length);
  for (int i = length - 1, at = node; i >= 0; --i) {
    ids[i] = nodes_[at].word;
    at = nodes_[at].before;
  }
  return ids;
}

Hypothesis WordChains::hypothesis(int node, int length, bool finished,
                                  size_t keys) const {
  Hypothesis result;
  result.ids = words(node, length);
  result.finished = finished;
  if (finished) result.ids.pop_back();
  result.log_probabilities.resize(length);
  result.weights.resize(keys * length);
  for (int i = length - 1, at = node; i >= 0; --i) {
    const Node& n = nodes_[at];
    result.log_probabilities[i] = n.log_probability;
    std::copy_n(weights_.begin() + n.weights, keys,
                result.weights.begin() + static_cast<int64_t>(keys) * i);
    at = n.before;
  }
  return result;
}

}  // namespace fovea
