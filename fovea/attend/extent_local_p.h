#pragma once

#include "fovea/attend/registry.h"

namespace fovea {

// Keys around a position that the query predicts (SPEC B3; local-p of Luong et
// al. 2015). As in the paper, positions begin with 1 here: the key of index j
// stands at s = j + 1, and of S keys the query picks
//   p = S sigmoid(v^T tanh(W q)),  0 < p < S.
// It sees the s with |s - floor(p)| <= window. After the normaliser their
// weights are multiplied by exp(-(s - p)^2 / (2 sigma^2)), so that they sum to
// less than 1 unless `renormalise` divides by the sum. Only this Gaussian gives
// p a gradient. q is the row before any projection, and all heads share p.
std::unique_ptr<Extent> make_local_p_extent(const PartContext& context);

}  // namespace fovea
