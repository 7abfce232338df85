#pragma once

#include <span>

// How far apart two distributions over the same things are (SPEC E8). Natural
// logarithms, of numbers to which 1e-10 is added.
namespace fovea {

double kl_divergence(std::span<const float> p, std::span<const float> q);

// 0 to ln 2, the same both ways.
double js_divergence(std::span<const float> p, std::span<const float> q);

// Half of all differences: 0 to 1. Over all outcomes; papers that look at one
// of two outcomes only have half of it.
double total_variation(std::span<const float> p, std::span<const float> q);

}  // namespace fovea
