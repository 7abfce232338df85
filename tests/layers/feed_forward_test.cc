#include "fovea/layers/feed_forward.h"

#include <gtest/gtest.h>

#include "support/check_layer.h"
#include "support/random.h"

namespace fovea {
namespace {

using namespace fovea::testing;

// down(relu(up(x))) with up [3,2] and down [2,3].
Doubles twin(const std::vector<Doubles>& in) {
  const Doubles &x = in[0], &up = in[1], &up_bias = in[2], &down = in[3],
                &down_bias = in[4];
  Doubles y;
  for (size_t n = 0; n < x.size() / 2; ++n) {
    Doubles hidden(3);
    for (int i = 0; i < 3; ++i) {
      hidden[i] = std::max(0.0, up_bias[i] + up[2 * i] * x[2 * n] +
                                    up[2 * i + 1] * x[2 * n + 1]);
    }
    for (int i = 0; i < 2; ++i) {
      double sum = down_bias[i];
      for (int j = 0; j < 3; ++j) sum += down[3 * i + j] * hidden[j];
      y.push_back(sum);
    }
  }
  return y;
}

TEST(FeedForward, EqualsItsTwin) {
  FeedForward layer({.width = 2, .hidden = 3}, RandomKey(1));
  check_layer(Params(layer),
              [&](const std::vector<Var>& in) { return layer(in[0], Pass{}); },
              twin, {random_tensor({5, 2}, 1)});
}

TEST(FeedForward, DropsHiddenNumbersInTrainingOnly) {
  const FeedForward layer({.width = 8, .hidden = 64, .dropout = 0.5f},
                          RandomKey(1));
  const Var x = random_tensor({4, 8}, 2);
  const Tensor calm = layer(x, Pass{}).value();
  const Tensor wild =
      layer(x, Pass{.training = true, .key = RandomKey(3)}).value();
  int same = 0;
  for (int64_t i = 0; i < calm.size(); ++i) same += calm[i] == wild[i];
  EXPECT_LT(same, calm.size() / 2);
}

}  // namespace
}  // namespace fovea
