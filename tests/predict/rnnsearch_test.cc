#include "fovea/predict/rnnsearch.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fovea/autograd/elementwise.h"
#include "fovea/autograd/gather.h"
#include "support/check_layer.h"
#include "support/compare.h"
#include "support/decoder_case.h"
#include "support/random.h"

namespace fovea {
namespace {

using namespace testing;  // NOLINT: the support library

// As SPEC D4 has it: the context is the annotations' own.
DecoderCase paper_case() {
  return {.attend = {.score = "additive",
                     .value_proj = false,
                     .out_proj = false,
                     .options = {"init=bahdanau"}}};
}

struct Started {
  std::unique_ptr<Encoder> encoder;
  std::unique_ptr<SequencePredictor> decoder;
};

// As it begins, with the paper's own initialisation.
Started started(DecoderCase c) {
  c.encoder.init = c.decoder.init = RecurrentInit::kBahdanau;
  auto encoder = make_encoder(c.encoder, c.words, RandomKey(1));
  auto decoder = make_decoder(c.decoder, c.attend,
                              {.words = c.words,
                               .source = encoder->width(),
                               .encoded = encoder->widths()},
                              RandomKey(2));
  return {std::move(encoder), std::move(decoder)};
}

TEST(Rnnsearch, BeginsWithUniformAlignments) {
  const DecoderCase c = paper_case();
  const Started model = started(c);
  const Encoded encoded =
      (*model.encoder)(c.source_rows(), c.source_segments(), {});
  const Weights weights =
      model.decoder
          ->forced(encoded, c.target_rows(), c.target_segments(), {}, true)
          .weights;
  ASSERT_EQ(weights.pairs.rows(), c.target_segments().total());
  for (int64_t m = 0; m < weights.pairs.rows(); ++m) {
    const int keys = weights.pairs.row(m).keys;
    for (int j = 0; j < keys; ++j) {
      EXPECT_FLOAT_EQ(weights.values.value()[weights.pairs.begin(m, 0) + j],
                      1.0f / static_cast<float>(keys));
    }
  }
}

double deviation(const Tensor& t) {
  double squares = 0;
  for (float x : t.span()) squares += double{x} * x;
  return std::sqrt(squares / static_cast<double>(t.size()));
}

TEST(Rnnsearch, BeginsWithThePapersWeights) {
  DecoderCase c = paper_case();
  c.decoder.width = 40;
  c.words = 50;
  const Started model = started(c);
  const Params params(*model.decoder);
  for (const Params::Parameter& p : params.parameters()) {
    const Tensor value = p.value->value();
    if (p.name.ends_with("bias")) {
      EXPECT_EQ(deviation(value), 0) << p.name;
    } else if (p.name.ends_with("recurrent")) {
      EXPECT_NEAR(deviation(value), 1 / std::sqrt(40.0), 1e-6) << p.name;
    } else if (p.name == "attend.score.v") {
      EXPECT_EQ(deviation(value), 0);
    } else {
      const double expected = p.name.starts_with("attend") ? 0.001 : 0.01;
      EXPECT_NEAR(deviation(value), expected, 0.15 * expected) << p.name;
    }
  }
}

Var& parameter(SequencePredictor& decoder, const std::string& name) {
  const Params params(decoder);
  for (const Params::Parameter& p : params.parameters()) {
    if (p.name == name) return *p.value;
  }
  throw std::runtime_error("no parameter " + name);
}

// One step by hand, from the equations.
TEST(Rnnsearch, AStepIsThatOfThePaper) {
  DecoderCase c = paper_case();
  c.attend.options = {};
  c.source = {3};
  c.target = {2};
  TinyModel model(c);
  const auto get = [&](const std::string& name) {
    return parameter(*model.decoder, name);
  };
  const Encoded encoded =
      (*model.encoder)(c.source_rows(), c.source_segments(), {});
  const Var& h = encoded.states;
  const Var ey = slice_rows(c.target_rows(), 0, 1);
  const Var s0 = linear(encoded.backward_first, get("first.h.0.weight"),
                        get("first.h.0.bias"), Activation::kTanh);
  const Var q = linear(s0, get("attend.score.query.weight"));
  const Var k = linear(h, get("attend.score.key.weight"));
  const Var v = reshape(get("attend.score.v"), {1, 6});
  Tensor scores({1, 3});
  for (int j = 0; j < 3; ++j) {
    scores[j] = linear(tanh(slice_rows(k, j, j + 1) + q), v).value().item();
  }
  double total = 0;
  for (int j = 0; j < 3; ++j) total += std::exp(double{scores[j]});
  Tensor a({1, 3});
  for (int j = 0; j < 3; ++j) {
    a[j] = static_cast<float>(std::exp(double{scores[j]}) / total);
  }
  const Var context = matmul(a, h);
  const Var readout =
      maxout(linear(concat_columns({s0, ey, context}),
                    get("readout.joined.weight"), get("readout.joined.bias")));
  const Forced forced = model.forced(c);
  EXPECT_TRUE(close(
      std::span<const float>(forced.hidden.value().row_range(0, 1).span()),
      std::span<const float>(readout.value().span()), 1e-5));
}

// SPEC D4: what permutes the annotations permutes the alignment.
TEST(Rnnsearch, PermutedAnnotationsGivePermutedAlignments) {
  DecoderCase c = paper_case();
  c.attend.options = {};
  c.source = {4};
  c.target = {3};
  const TinyModel model(c);
  Encoded encoded = (*model.encoder)(c.source_rows(), c.source_segments(), {});
  const auto weights = [&] {
    return model.decoder
        ->forced(encoded, c.target_rows(), c.target_segments(), {}, true)
        .weights.values.value();
  };
  const Tensor before = weights();
  const std::vector<int> order{2, 0, 3, 1};
  encoded.states = gather(encoded.states, order);
  const Tensor after = weights();
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 4; ++j) {
      EXPECT_NEAR(after[4 * i + j], before[4 * i + order[j]], 1e-6);
    }
  }
}

}  // namespace
}  // namespace fovea
