#pragma once

#include <span>

namespace fovea {

// How far two lists put the same things in the same order.
struct RankCorrelation {
  double tau = 0;  // -1..1; not a number if a list is constant
  double p = 1;    // chance of a tau at least so far from 0, were there no link
};

// Kendall's tau-b, which allows for ties. p is exact for up to 33 things
// without ties, else it is that of the normal approximation.
RankCorrelation kendall_tau_b(std::span<const float> x,
                              std::span<const float> y);

// Spearman's correlation: of ranks, which equal numbers share. Not a number if
// a list is constant (SPEC F11).
double spearman(std::span<const float> x, std::span<const float> y);

}  // namespace fovea
