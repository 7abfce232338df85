#pragma once

#include <span>
#include <string>
#include <vector>

#include "fovea/models/classifier.h"

namespace fovea {

struct ClassifyAllConfig {
  int batch_size = 64;  // texts
};

// The probabilities of the labels of many texts, in their order, a batch for
// each thread. `texts` have no end mark: `end` is put behind each. An empty one
// has no probabilities.
std::vector<std::vector<float>> classify_all(
    const Classifier& model, std::span<const std::vector<int>> texts, int end,
    const ClassifyAllConfig& config = {});

// The largest k of them, largest first, the first of equal ones.
std::vector<int> most_probable(std::span<const float> probabilities, int k);

}  // namespace fovea
