#include "fovea/encode/convolution.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fovea/base/check.h"
#include "support/check_layer.h"
#include "support/random.h"
#include "support/twin_convs2s.h"

namespace fovea {
namespace {

using namespace fovea::testing;

EncoderConfig config_of(int layers, int width) {
  return {.kind = "convolution", .layers = layers, .width = width};
}

// SPEC D7.
TEST(ConvolutionEncoder, ComputesWhatThePaperSays) {
  EncoderConfig config;
  config.widths = {6, 6, 5};
  config.kernels = {3, 2, 1};
  const Segments of = Segments::from_lengths(std::vector<int>{4, 1, 3});
  const auto encoder = make_convolution_encoder(config, 4, RandomKey(1));
  check_layer(Params(*encoder),
              [&](const std::vector<Var>& in) {
                return (*encoder)(in[0], of, Pass{}).states;
              },
              TwinConvEncoder{of, 4, {{6, 3}, {6, 2}, {5, 1}}},
              {random_tensor({8, 4}, 2)});
}

// SPEC D7: 2n + 1 rows, by the support of the gradient.
TEST(ConvolutionEncoder, SeesOneRowMoreOnEachSideWithEachLayer) {
  constexpr int kRows = 11, kMiddle = 5, kWidth = 8;
  const int length = kRows;
  const Segments of = Segments::from_lengths({&length, 1});
  for (int layers = 1; layers <= 4; ++layers) {
    const auto encoder = make_convolution_encoder(config_of(layers, kWidth),
                                                  kWidth, RandomKey(layers));
    const Var x = Var::parameter(random_tensor({kRows, kWidth}, 3));
    Tensor seed = Tensor::zeros({kRows, kWidth});
    seed.row_range(kMiddle, kMiddle + 1).fill(1.0f);
    (*encoder)(x, of, Pass{}).states.backward(seed);
    for (int row = 0; row < kRows; ++row) {
      bool seen = false;
      for (float g : x.grad().row_range(row, row + 1).span()) seen |= g != 0;
      EXPECT_EQ(seen, std::abs(row - kMiddle) <= layers)
          << layers << " layers, row " << row;
    }
  }
}

// SPEC D7: by what is dropped from a layer's input, and by its size.
TEST(ConvolutionEncoder, BeginsWithThePrintedDeviations) {
  EncoderConfig config = config_of(1, 64);
  config.dropout = 0.19f;
  const auto encoder = make_convolution_encoder(config, 32, RandomKey(1));
  const Params params(*encoder);
  const auto deviation = [&](const std::string& name) {
    double squares = 0, count = 0;
    for (const Params::Parameter& p : params.parameters()) {
      if (p.name != name) continue;
      for (float w : p.value->value().span()) squares += w * w;
      count = static_cast<double>(p.value->value().size());
    }
    return std::sqrt(squares / count);
  };
  EXPECT_NEAR(deviation("first.weight"), 0.9 / std::sqrt(32), 0.01);
  EXPECT_NEAR(deviation("layer.0.convolution.weight"),
              2 * 0.9 / std::sqrt(3 * 64), 0.005);
  EXPECT_NEAR(deviation("last.weight"), 1 / std::sqrt(64), 0.01);
  EXPECT_EQ(deviation("first.bias"), 0);
}

TEST(ConvolutionEncoder, RefusesListsThatDoNotFit) {
  EncoderConfig config;
  config.widths = {6, 6};
  config.kernels = {3};
  EXPECT_THROW(make_convolution_encoder(config, 4, RandomKey(1)), Error);
  config.kernels = {3, 0};
  EXPECT_THROW(make_convolution_encoder(config, 4, RandomKey(1)), Error);
  EXPECT_THROW(make_convolution_encoder(config_of(0, 4), 4, RandomKey(1)),
               Error);
}

}  // namespace
}  // namespace fovea
