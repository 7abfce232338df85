#include "fovea/layers/linear.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/check_layer.h"
#include "support/compare.h"
#include "support/random.h"

namespace fovea {
namespace {

using namespace fovea::testing;

constexpr int kIn = 5, kOut = 3, kRows = 4;

// Inputs: x, v, bias, gain.
Doubles twin(const std::vector<Doubles>& in) {
  const Doubles &x = in[0], &v = in[1], &bias = in[2], &gain = in[3];
  Doubles y;
  for (int row = 0; row < kRows; ++row) {
    for (int o = 0; o < kOut; ++o) {
      double product = 0, squares = 0;
      for (int i = 0; i < kIn; ++i) {
        product += x[row * kIn + i] * v[o * kIn + i];
        squares += v[o * kIn + i] * v[o * kIn + i];
      }
      y.push_back(gain[o] * product / std::sqrt(squares) + bias[o]);
    }
  }
  return y;
}

// Salimans and Kingma 2016.
TEST(NormedLinear, MultipliesByDirectionsOfTheLengthsItLearns) {
  Linear layer = Linear::normed(kIn, kOut, 0.1f, RandomKey(1));
  check_layer(Params(layer),
              [&](const std::vector<Var>& in) { return layer(in[0]); }, twin,
              {random_tensor({kRows, kIn}, 2)});
}

TEST(NormedLinear, BeginsWithTheLengthsOfItsDirections) {
  const Linear layer = Linear::normed(64, 50, 0.19f, RandomKey(1));
  // 0.9 / 8 is its deviation.
  double squares = 0;
  for (float w : layer.weight.value().span()) squares += w * w;
  EXPECT_NEAR(std::sqrt(squares / (64 * 50)), 0.9 / 8, 0.005);
  Linear plain;
  plain.weight = layer.weight;
  plain.bias = layer.bias;
  const Tensor x = random_tensor({kRows, 64}, 2);
  EXPECT_TRUE(close(layer(x).value().span(), plain(x).value().span(), 1e-5));
}

TEST(NormedLinear, PackedItGivesTheSame) {
  Linear layer = Linear::normed(kIn, kOut, 0, RandomKey(1));
  const Params params(layer);
  randomise(params, 2);
  const Tensor x = random_tensor({kRows, kIn}, 3);
  const NoGrad none;
  const Tensor before = layer(x).value();
  params.prepare(Precision::kFloat32);
  EXPECT_TRUE(close(layer(x).value().span(), before.span(), 1e-5));
}

}  // namespace
}  // namespace fovea
