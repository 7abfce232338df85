#include "fovea/predict/convolution.h"

#include <gtest/gtest.h>

#include "fovea/attend/trace.h"
#include "support/check_layer.h"
#include "support/compare.h"
#include "support/random.h"
#include "support/twin_convs2s.h"

namespace fovea {
namespace {

using namespace fovea::testing;

constexpr int kWidth = 4;

ComposedConfig dot() {
  ComposedConfig attend;
  attend.score = "dot";
  attend.project = attend.value_proj = attend.out_proj = false;
  return attend;
}

// Layers whose sizes change.
DecoderConfig config_of() {
  DecoderConfig config;
  config.kind = "convolution";
  config.widths = {6, 5};
  config.kernels = {3, 2};
  config.readout = 3;
  config.scale_gradient = false;
  return config;
}

std::unique_ptr<SequencePredictor> decoder_of(const DecoderConfig& config) {
  return make_convolution_decoder(
      config, dot(), {.words = kWidth, .source = kWidth, .embedded = kWidth},
      RandomKey(1));
}

const Segments kSource = Segments::from_lengths(std::vector<int>{3, 1});
const Segments kTarget = Segments::from_lengths(std::vector<int>{2, 3});

Var forced(const SequencePredictor& decoder, const std::vector<Var>& in) {
  return decoder
      .forced({.states = in[0], .of = kSource, .embedded = in[1]}, in[2],
              kTarget, Pass{}, false)
      .hidden;
}

std::vector<Tensor> inputs() {
  return {random_tensor({4, kWidth}, 2), random_tensor({4, kWidth}, 3),
          random_tensor({5, kWidth}, 4)};
}

// SPEC D7.
TEST(ConvolutionDecoder, ComputesWhatThePaperSays) {
  const auto decoder = decoder_of(config_of());
  check_layer(
      Params(*decoder),
      [&](const std::vector<Var>& in) { return forced(*decoder, in); },
      TwinConvDecoder{kSource, kTarget, kWidth, {{6, 3}, {5, 2}}}, inputs());
}

TEST(ConvolutionDecoder, DividesTheEncodersGradientByTwiceItsAttentions) {
  DecoderConfig config = config_of();
  const auto plain = decoder_of(config);
  config.scale_gradient = true;
  const auto scaled = decoder_of(config);
  std::vector<std::vector<Tensor>> gradients;
  std::vector<Tensor> results;
  for (const auto* decoder : {plain.get(), scaled.get()}) {
    std::vector<Var> in;
    for (const Tensor& t : inputs()) in.push_back(Var::parameter(t));
    const Var y = forced(*decoder, in);
    results.push_back(y.value());
    y.backward(random_tensor(y.shape(), 5));
    gradients.push_back({in[0].grad(), in[1].grad(), in[2].grad()});
  }
  EXPECT_TRUE(same_bits(results[0].span(), results[1].span()));
  for (int64_t i = 0; i < gradients[0][0].size(); ++i) {
    EXPECT_NEAR(gradients[1][0][i], gradients[0][0][i] / 4, 1e-6);
  }
  // Embeddings and words get theirs whole.
  EXPECT_TRUE(same_bits(gradients[0][1].span(), gradients[1][1].span()));
  EXPECT_TRUE(same_bits(gradients[0][2].span(), gradients[1][2].span()));
}

TEST(ConvolutionDecoder, AttendsInEveryLayerAndNamesTheOneForAlignment) {
  DecoderConfig config = config_of();
  config.alignment_layer = 0;
  const auto decoder = decoder_of(config);
  const std::vector<Tensor> in = inputs();
  Trace trace;
  const Pass pass{.trace = &trace};
  const Forced result =
      decoder->forced({.states = in[0], .of = kSource, .embedded = in[1]},
                      in[2], kTarget, pass, true);
  ASSERT_EQ(trace.records().size(), 2u);
  EXPECT_EQ(decoder->alignment_layer(), "layer.0.cross");
  const Tensor record = trace.of("layer.0.cross")[0]->weights(0, 0);
  ASSERT_TRUE(result.weights.values);
  for (int64_t i = 0; i < record.size(); ++i) {
    EXPECT_NEAR(result.weights.values.value()[i], record[i], 1e-6);
  }
}

}  // namespace
}  // namespace fovea
