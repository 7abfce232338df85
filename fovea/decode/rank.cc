#include "fovea/decode/rank.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace fovea {

float length_normalised(double log_probability, int length, float alpha) {
  return static_cast<float>(log_probability /
                            std::pow((5.0 + length) / 6.0, alpha));
}

float coverage(std::span<const float> weights, size_t keys) {
  constexpr double kLeast = 1e-9;  // a word never looked at
  double sum = 0;
  for (size_t key = 0; key < keys; ++key) {
    double had = 0;
    for (size_t i = key; i < weights.size(); i += keys) had += weights[i];
    sum += std::log(std::clamp(had, kLeast, 1.0));
  }
  return static_cast<float>(sum);
}

void rank(Hypothesis& h, size_t keys, const SearchConfig& config) {
  const double sum = std::accumulate(h.log_probabilities.begin(),
                                     h.log_probabilities.end(), 0.0);
  h.log_probability = static_cast<float>(sum);
  h.score = length_normalised(sum, h.length(), config.length_penalty);
  if (config.coverage_penalty > 0 && !h.weights.empty()) {
    h.score += config.coverage_penalty * coverage(h.weights, keys);
  }
}

void keep_best(std::vector<Hypothesis>& some, int count) {
  std::stable_sort(some.begin(), some.end(),
                   [](const Hypothesis& a, const Hypothesis& b) {
                     return a.score > b.score;
                   });
  if (std::ssize(some) > count) some.resize(count);
}

}  // namespace fovea
