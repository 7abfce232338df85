#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fovea/decode/hypothesis.h"

namespace fovea {

// The words of a search's hypotheses, as chains that share their beginnings, so
// that nothing is copied when beams change places.
class WordChains {
 public:
  struct Node {
    int before = -1;  // the node of the word before; -1: none
    int word = -1;
    float log_probability = 0;
    int64_t weights = 0;  // where its attention begins
  };

  int add(const Node& node);  // its number
  int64_t add_weights(std::span<const float> weights);

  int word(int node) const { return nodes_[node].word; }
  // The last `length` words of a chain that ends with this node.
  std::vector<int> words(int node, int length) const;
  // All of a chain; the last word is the end mark if it is finished. With
  // attention over `keys` words of the source. Without a score.
  Hypothesis hypothesis(int node, int length, bool finished, size_t keys) const;
  bool has_weights() const { return !weights_.empty(); }

 private:
  std::vector<Node> nodes_;
  std::vector<float> weights_;
};

}  // namespace fovea
