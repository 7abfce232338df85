#include "fovea/attend/input_feeding.h"

#include <cmath>

#include "support/check_layer.h"
#include "support/compare.h"
#include "support/random.h"

namespace fovea {
namespace {

using testing::Doubles;
using testing::random_tensor;

TEST(InputFeeding, MakesTheAttentionalVectorWithTheRightGradients) {
  const int rows = 3, context = 4, state = 2, out = 5;
  InputFeeding feeding(context, state, out, RandomKey(1));
  // Inputs: context, state, W_c.
  const auto twin = [&](const std::vector<Doubles>& in) {
    Doubles y;
    for (int i = 0; i < rows; ++i) {
      for (int o = 0; o < out; ++o) {
        const double* w = in[2].data() + o * (context + state);
        double x = 0;
        for (int k = 0; k < context; ++k) x += w[k] * in[0][i * context + k];
        for (int k = 0; k < state; ++k) {
          x += w[context + k] * in[1][i * state + k];
        }
        y.push_back(std::tanh(x));
      }
    }
    return y;
  };
  testing::check_layer(
      Params(feeding),
      [&](const auto& in) { return feeding.attentional(in[0], in[1]); }, twin,
      {random_tensor({rows, context}, 1), random_tensor({rows, state}, 2)});
}

TEST(InputFeeding, PutsTheLastVectorBehindTheEmbedding) {
  const InputFeeding feeding(4, 2, 3, RandomKey(1));
  const Tensor fed = feeding
                         .feed(Tensor::of({2, 2}, {1, 2, 3, 4}),
                               Tensor::of({2, 3}, {5, 6, 7, 8, 9, 10}))
                         .value();
  EXPECT_EQ(fed.shape(), Shape({2, 5}));
  EXPECT_TRUE(testing::close(fed, Doubles{1, 2, 5, 6, 7, 3, 4, 8, 9, 10}, 0));
}

TEST(InputFeeding, FeedsZerosAtTheFirstStep) {
  const InputFeeding feeding(4, 2, 3, RandomKey(1));
  const Tensor fed = feeding.feed(Tensor::of({1, 2}, {1, 2}), {}).value();
  EXPECT_TRUE(testing::close(fed, Doubles{1, 2, 0, 0, 0}, 0));
}

TEST(InputFeeding, LetsGradientsFlowToTheStepBefore) {
  const InputFeeding feeding(2, 2, 2, RandomKey(1));
  const Var c = Var::parameter(random_tensor({1, 2}, 1));
  const Var h = random_tensor({1, 2}, 2);
  const Var fed = feeding.feed(h, feeding.attentional(c, h));
  fed.backward(Tensor::of({1, 4}, {0, 0, 1, 1}));
  EXPECT_NE(c.grad()[0], 0.0f);
}

}  // namespace
}  // namespace fovea
