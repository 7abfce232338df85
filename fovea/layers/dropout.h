#pragma once

#include <string_view>

#include "fovea/autograd/elementwise.h"
#include "fovea/layers/pass.h"

namespace fovea {

// Dropout while training, nothing otherwise. `use` tells apart the places of
// one layer that drop.
inline Var drop(const Var& x, float rate, const Pass& pass,
                std::string_view use = "drop") {
  if (!pass.training || rate == 0) return x;
  return dropout(x, rate, pass.key.with(use));
}

}  // namespace fovea
