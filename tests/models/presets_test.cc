#include "fovea/models/presets.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numeric>
#include <set>

#include "fovea/base/check.h"
#include "fovea/models/seq2seq.h"

namespace fovea {
namespace {

int64_t parameters(const std::string& name, int vocabulary) {
  ModelConfig config = preset(name);
  config.vocabulary.source = config.vocabulary.target = vocabulary;
  Seq2Seq model(config, RandomKey(1));
  return Params(model).count();
}

TEST(Presets, TheTransformersHaveThePublishedSizes) {
  EXPECT_EQ(parameters("transformer-base", 37000), 63082496);
  EXPECT_EQ(parameters("transformer-big", 37000), 214245376);
}

TEST(Presets, EveryoneCanBeMade) {
  std::set<std::string> names;
  for (const Preset& p : all_presets()) {
    SCOPED_TRACE(p.name);
    EXPECT_TRUE(names.insert(p.name).second) << "twice";
    ModelConfig config = p.make();
    config.vocabulary.source = config.vocabulary.target = 10;
    EXPECT_NO_THROW(Seq2Seq(config, RandomKey(1)));
  }
}

// SPEC D4.
TEST(Presets, RnnsearchBeginsWithUniformAlignments) {
  ModelConfig config = preset("rnnsearch");
  config.embed.width = config.predict.width = 6;
  config.encode.width = 8;
  config.vocabulary.source = config.vocabulary.target = 10;
  const Seq2Seq model(config, RandomKey(1));
  const Ids source{{3, 4, 5, 2}, Segments::from_lengths(std::vector<int>{4})};
  const Ids target{{6, 7, 2}, Segments::from_lengths(std::vector<int>{3})};
  const Forced forced =
      model.forced(model.encode(source, {}), target, {}, true);
  ASSERT_EQ(forced.weights.values.value().size(), 12);
  for (float w : forced.weights.values.value().span()) {
    EXPECT_FLOAT_EQ(w, 0.25f);
  }
}

double deviation(const Tensor& x) {
  double squares = 0;
  for (const float v : x.span()) squares += double{v} * v;
  return std::sqrt(squares / static_cast<double>(x.size()));
}

bool has(const std::string& name, const char* part) {
  return name.find(part) != std::string::npos;
}

// A preset of a paper, made small.
std::unique_ptr<Seq2Seq> small(const char* name, int layers) {
  ModelConfig config = preset(name);
  config.embed.width = config.predict.width = 60;
  config.encode.width = name == std::string("rnnsearch") ? 120 : 60;
  config.encode.layers = config.predict.layers = layers;
  config.vocabulary.source = config.vocabulary.target = 80;
  return std::make_unique<Seq2Seq>(config, RandomKey(1));
}

// SPEC D4: the score N(0, 0.001^2) and v = 0, recurrent matrices orthogonal,
// all others N(0, 0.01^2).
TEST(Presets, RnnsearchBeginsAsItsPaperSays) {
  const auto model = small("rnnsearch", 1);
  const Params params(*model);
  for (const auto& p : params.parameters()) {
    const Tensor& value = p.value->value();
    const double is = deviation(value);
    const bool none = has(p.name, "bias") || p.name.ends_with("score.v");
    const bool turns = has(p.name, "recurrent");
    const double wanted = none                     ? 0
                          : turns                  ? 1 / std::sqrt(60.0)
                          : has(p.name, "attend.") ? 0.001
                                                   : 0.01;
    EXPECT_NEAR(is, wanted, 0.05 * wanted) << p.name;
  }
}

// Vectors have few numbers to tell their deviation by.
void expect_uniform(const Tensor& x, const std::string& name) {
  EXPECT_NEAR(deviation(x), 0.1 / std::sqrt(3.0), x.size() > 80 ? 0.003 : 0.01)
      << name;
  for (const float v : x.span()) ASSERT_LE(std::abs(v), 0.1f) << name;
}

// SPEC D5: all of them uniform in +-0.1.
TEST(Presets, LuongBeginsAsItsPaperSays) {
  const auto model = small("luong", 2);
  const Params params(*model);
  for (const auto& p : params.parameters()) {
    const Tensor& value = p.value->value();
    if (has(p.name, "bias")) {
      EXPECT_EQ(deviation(value), 0) << p.name;
    } else {
      expect_uniform(value, p.name);
    }
  }
}

// SPEC D6: as well, but for the length of v and the forget gates.
TEST(Presets, GnmtBeginsAsItsPaperSays) {
  const auto model = small("gnmt", 3);
  const Params params(*model);
  for (const auto& p : params.parameters()) {
    const Tensor& value = p.value->value();
    if (p.name.ends_with("score.gain")) {
      EXPECT_FLOAT_EQ(value[0], 1 / std::sqrt(60.0f));
    } else if (!has(p.name, "bias")) {
      expect_uniform(value, p.name);
    }
  }
}

// SPEC D6: two directions of the whole width below, and a decoder that begins
// with the encoder's states as they are.
TEST(Presets, GnmtHasTheLayersOfItsPaper) {
  ModelConfig config = preset("gnmt-tiny");
  config.vocabulary.source = config.vocabulary.target = 20;
  EXPECT_EQ(config.predict.residual_from, 2);
  Seq2Seq model(config, RandomKey(1));
  const Params params(model);
  int read_both_ways = 0;
  for (const Params::Parameter& p : params.parameters()) {
    EXPECT_EQ(p.name.find("first"), std::string::npos) << p.name;
    const bool bottom = p.name.starts_with("encoder.layer.0.");
    const auto& shape = p.value->value().shape();
    read_both_ways += bottom && shape.rank() == 2 && shape[0] == 4 * 128;
  }
  EXPECT_EQ(read_both_ways, 4);  // of words and states, forward and backward
}

TEST(Presets, LstmnHasTheSizesOfItsPaper) {
  const ModelConfig config = preset("lstmn");
  EXPECT_EQ(config.encode.width, 450);
  EXPECT_EQ(config.embed.width, 300);
  EXPECT_EQ(config.encode.dropout, 0.5f);
}

TEST(Presets, AnUnknownNameTellsTheNearest) {
  try {
    preset("rnsearch");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_NE(std::string(error.what()).find("rnnsearch"), std::string::npos);
  }
}

TEST(Presets, TheSizeFollowsTheAmountOfText) {
  EXPECT_EQ(size_for_data(1000).preset, "transformer-tiny");
  EXPECT_EQ(size_for_data(1000).vocabulary, 4000);
  EXPECT_EQ(size_for_data(29000).vocabulary, 7200);
  EXPECT_EQ(size_for_data(49999).vocabulary, 10000);
  EXPECT_EQ(size_for_data(50000).preset, "transformer-small");
  EXPECT_EQ(size_for_data(500000).preset, "transformer-small");
  EXPECT_EQ(size_for_data(500001).preset, "transformer-medium");
}

// SPEC D7.
TEST(Presets, ConvolutionsHaveThePrintedSizes) {
  const ModelConfig german = preset("convs2s-en-de");
  ASSERT_EQ(german.encode.widths.size(), 15u);
  EXPECT_EQ(german.encode.widths, german.predict.widths);
  EXPECT_EQ(std::accumulate(german.encode.widths.begin(),
                            german.encode.widths.end(), 0),
            9 * 512 + 4 * 1024 + 2 * 2048);
  EXPECT_EQ(german.encode.kernels[12], 3);
  EXPECT_EQ(german.encode.kernels[13], 1);
  EXPECT_EQ(german.embed.width, 768);
  EXPECT_EQ(german.predict.readout, 512);
  const ModelConfig french = preset("convs2s-en-fr");
  ASSERT_EQ(french.predict.widths.size(), 15u);
  EXPECT_EQ(french.predict.widths.back(), 4096);
  const ModelConfig small = preset("convs2s");
  EXPECT_EQ(small.encode.layers, 4);
  EXPECT_EQ(small.predict.layers, 3);
  EXPECT_EQ(small.predict.width, 256);
}

// Of the paper's words: z and y are as wide as embeddings, every layer attends.
TEST(Presets, TheTinyConvolutionModelHasAnAttentionInEachLayer) {
  ModelConfig config = preset("convs2s-tiny");
  config.vocabulary = {.source = 20, .target = 30};
  Seq2Seq model(config, RandomKey(1));
  const Params params(model);
  int attentions = 0;
  for (const Params::Parameter& p : params.parameters()) {
    attentions += p.name.ends_with("to_query.gain");
  }
  EXPECT_EQ(attentions, 4);
  EXPECT_EQ(model.alignment_layer(), "decoder.layer.3.cross");
}

TEST(Presets, ATiedMatrixIsNotNormalised) {
  ModelConfig config = preset("convs2s-tiny");
  config.vocabulary = {.source = 20, .target = 20};
  config.tie = Tie::kAll;
  EXPECT_THROW(Seq2Seq(config, RandomKey(1)), Error);
  config.output_norm = false;
  EXPECT_NO_THROW(Seq2Seq(config, RandomKey(1)));
}

}  // namespace
}  // namespace fovea
