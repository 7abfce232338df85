#include "fovea/attend/selector.h"

#include <cmath>

#include "support/check_layer.h"
#include "support/random.h"

namespace fovea {
namespace {

using testing::Doubles;

TEST(Selector, GatesEachContextByItsStateWithTheRightGradients) {
  const int rows = 5, width = 4, state = 3;
  Selector selector(state, RandomKey(1));
  // Inputs: context, state, w, b.
  const auto twin = [&](const std::vector<Doubles>& in) {
    Doubles out = in[0];
    for (int i = 0; i < rows; ++i) {
      double x = in[3][0];
      for (int k = 0; k < state; ++k) x += in[2][k] * in[1][i * state + k];
      for (int k = 0; k < width; ++k) {
        out[i * width + k] /= 1 + std::exp(-x);
      }
    }
    return out;
  };
  testing::check_layer(Params(selector),
                       [&](const auto& in) { return selector(in[0], in[1]); },
                       twin,
                       {testing::random_tensor({rows, width}, 1),
                        testing::random_tensor({rows, state}, 2)});
}

}  // namespace
}  // namespace fovea
