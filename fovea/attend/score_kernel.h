#pragma once

#include "fovea/attend/registry.h"

namespace fovea {

// Similarities of a distance d = |q - k| (SPEC A10), as logarithms. Normalised
// by their sum, as they are unless another normaliser is named, they make
// kernel regression (Nadaraya 1964, Watson 1964).

// d^-power (Shepard 1968). Keys equal to the query share all of the weight, and
// get no gradient.
std::unique_ptr<Score> make_inverse_distance_score(const PartContext& context);
// exp(-d^2 / (2 width^2)).
std::unique_ptr<Score> make_gaussian_score(const PartContext& context);
// 1 - (d / width)^2, or 0 from there on.
std::unique_ptr<Score> make_epanechnikov_score(const PartContext& context);
// 1 up to the width, 0 beyond; has no gradient.
std::unique_ptr<Score> make_boxcar_score(const PartContext& context);

}  // namespace fovea
