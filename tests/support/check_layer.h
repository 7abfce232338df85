#pragma once

#include <vector>

#include "fovea/layers/params.h"
#include "support/check_op.h"

namespace fovea::testing {

// Gives every parameter random numbers, the same ones for the same seed.
void randomise(const Params& params, uint64_t seed, float scale = 1.0f);

// Like check_op, for a layer: its parameters, made random, come after the
// inputs in the order of their list, for `run` (which may ignore them) and for
// the twin.
void check_layer(const Params& params, const Op& run, const Twin& twin,
                 std::vector<Tensor> inputs, double tolerance = 1e-5,
                 double floor = 1e-3);

}  // namespace fovea::testing
