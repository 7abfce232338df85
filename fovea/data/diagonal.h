#pragma once

#include <span>
#include <vector>

// Where a word's translation stands: near the diagonal (Dyer, Chahuneau, Smith
// 2013). Word j of m comes from word i of n, both counted from 1, with a
// probability proportional to exp(-tension * |i/n - j/m|).
namespace fovea {

// The lengths of two sentences.
struct Lengths {
  int source = 0;  // n
  int target = 0;  // m
};

// Fills weights[i - 1] with the probabilities of i = 1..n, times `total`.
void fill_diagonal(const Lengths& of, int j, double tension, double total,
                   std::span<float> weights);

// |i/n - j/m|.
double off_diagonal(const Lengths& of, int i, int j);

// What the tension is fitted to, for all pairs of sentences of like lengths.
struct DiagonalCounts {
  Lengths of;
  std::vector<double> linked;  // [m]: how often word j has a source word
};

// The tension under which the mean distance off the diagonal is the one
// observed; `distance` is the sum over all links. It maximises the expected
// likelihood, which is concave. Kept between 0.1 and 20.
double fit_tension(std::span<const DiagonalCounts> counts, double distance,
                   double start);

}  // namespace fovea
