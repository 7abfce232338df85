#pragma once

#include <array>
#include <span>
#include <vector>

#include "fovea/data/diagonal.h"

// A hidden Markov model of word order (Vogel, Ney, Tillmann 1996): where a
// target word comes from depends on how far that is from where the word before
// it came from. A word that comes from none keeps the place (Och & Ney 2003).
namespace fovea {

// Weights of distances between source places, all alike at first.
class Jumps {
 public:
  static constexpr int kMost = 50;  // farther ones count as so far
  static constexpr int kSlots = 2 * kMost + 1;

  Jumps() { weights_.fill(1); }
  static int slot(int jump);
  double operator[](int jump) const { return weights_[slot(jump)]; }
  // In proportion to counts of all slots; none becomes impossible.
  void fit(std::span<const double> counts);

 private:
  std::array<double, kSlots> weights_;
};

// One pair of sentences, neither empty.
struct HmmPair {
  Lengths of;
  std::span<const float> words;  // [n + 1, m]: of target words; first row: none
  const Jumps& jumps;
  double null_probability;
};

struct HmmPosterior {
  std::vector<float> links;   // [n + 1, m]; columns sum to 1
  std::vector<double> jumps;  // [Jumps::kSlots]: how often each is expected
  double log_likelihood = 0;
};

HmmPosterior hmm_posterior(const HmmPair& pair);

}  // namespace fovea
