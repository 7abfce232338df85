#pragma once

#include <cmath>
#include <vector>

#include "fovea/autograd/recurrent.h"
#include "support/random.h"
#include "support/twin_recurrent.h"

// The recurrent ops by the description of a twin.
namespace fovea::testing {

inline kernels::GruVariant variant_of(const TwinRecurrent& t) {
  using kernels::GruReset, kernels::GruUpdate;
  return {t.reset_after ? GruReset::kAfter : GruReset::kBefore,
          t.keeps_old ? GruUpdate::kKeepsOld : GruUpdate::kTakesNew};
}

inline RecurrentStates run(const TwinRecurrent& t, const RecurrentInput& in,
                           const RecurrentWeights& w) {
  switch (t.cell) {
    case TwinRecurrent::kElman:
      return elman(in, w);
    case TwinRecurrent::kLstm:
      return lstm(in, w);
    default:
      return gru(in, w, variant_of(t));
  }
}

// Random weights, the same for every batch.
struct RandomCell {
  TwinRecurrent cell;
  RecurrentWeights w;
  RandomCell(const TwinRecurrent& t, uint64_t seed) : cell(t) {
    const int64_t out = t.gates() * t.width;
    const float scale = 1.0f / std::sqrt(static_cast<float>(t.width));
    w.input = Var::parameter(random_tensor({out, t.in}, seed, scale));
    w.recurrent =
        Var::parameter(random_tensor({out, t.width}, seed + 1, scale));
    w.bias = Var::parameter(random_tensor({out}, seed + 2, 0.1f));
    if (t.reset_after) {
      w.inner_bias = Var::parameter(random_tensor({t.width}, seed + 3, 0.1f));
    }
  }
  RecurrentStates operator()(const RecurrentInput& in) const {
    return run(cell, in, w);
  }
};

inline std::vector<int> lengths_of(int count) {
  return random_lengths(count, 0, 6, count);
}

}  // namespace fovea::testing
