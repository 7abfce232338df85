#pragma once

#include <span>
#include <vector>

#include "fovea/tensor/tensor.h"

// What a head's weights are like (SPEC F15).
namespace fovea {

// Means over the queries that see a key.
struct HeadStatistics {
  double entropy = 0;         // natural logarithm
  double largest = 0;         // weight of a row
  double effective_keys = 0;  // exp(entropy), of each row
  double distance = 0;        // |query - key| by weight
  double special = 0;         // share of the special keys
  // Spearman's correlation of the queries and the keys they look at most; NaN
  // if one of them is constant.
  double monotonicity = 0;
};

// All of them, for documents and for people.
struct HeadStatistic {
  const char *name, *title;
  double HeadStatistics::*value;
};
constexpr HeadStatistic kHeadStatistics[] = {
    {"entropy", "Entropy", &HeadStatistics::entropy},
    {"largest", "Largest weight", &HeadStatistics::largest},
    {"effective_keys", "Effective number of keys",
     &HeadStatistics::effective_keys},
    {"distance", "Distance", &HeadStatistics::distance},
    {"special", "Share of marks", &HeadStatistics::special},
    {"monotonicity", "Monotonicity", &HeadStatistics::monotonicity},
};

// Of weights [queries, keys] with rows that sum to 1 (or are all 0: a query
// that sees no key). `special` are keys such as the end mark.
HeadStatistics head_statistics(const Tensor& weights,
                               std::span<const int> special = {});

// What each key gets from all queries together.
std::vector<float> key_coverage(const Tensor& weights);

// The mean over queries of the Jensen-Shannon divergence of two heads' rows, in
// natural logarithms: 0 if they are equal, ln 2 at most.
double head_distance(const Tensor& a, const Tensor& b);
// Of all heads of a layer to each other, [heads, heads].
Tensor head_distances(const std::vector<Tensor>& heads);

}  // namespace fovea
