#include "fovea/attend/trace.h"

#include <cmath>

#include "fovea/attend/registry.h"
#include "fovea/base/check.h"
#include "support/compare.h"
#include "support/random.h"

namespace fovea {
namespace {

using namespace testing;  // NOLINT: the support library

Segments lengths(std::vector<int> of) { return Segments::from_lengths(of); }

TEST(Trace, WantsWhatItsRequestsName) {
  const Trace all;
  EXPECT_EQ(all.wanted("encoder.0.self", 3), (std::vector<int>{0, 1, 2}));
  const Trace some({{.layer = "decoder.*.cross", .heads = {2, 0, 2}},
                    {.layer = "encoder.1.self"}});
  EXPECT_EQ(some.wanted("decoder.4.cross", 4), (std::vector<int>{0, 2}));
  EXPECT_EQ(some.wanted("encoder.1.self", 2), (std::vector<int>{0, 1}));
  EXPECT_TRUE(some.wanted("encoder.0.self", 2).empty());
  EXPECT_THROW(some.wanted("decoder.4.cross", 2), Error);
}

TEST(Trace, AskingChangesNoBitAndGivesTheWeightsOfBothPaths) {
  const Segments of = lengths({5, 0, 1, 33});
  const Var x(random_tensor({of.total(), 16}, 1));
  for (const bool causal : {false, true}) {
    ComposedConfig config;
    config.heads = 4;
    config.causal = causal;
    const auto attention = make_attention(config, {.query = 16}, RandomKey(1));
    const Tensor plain = attention->self(x, of, {}).context.value();
    Trace trace({{.layer = "self", .heads = {1, 3}}});
    Pass pass;
    pass.trace = &trace;
    const Tensor traced =
        attention->self(x, of, pass.in("self")).context.value();
    EXPECT_TRUE(same_bits(plain.span(), traced.span()));
    ASSERT_EQ(trace.records().size(), 1u);
    const Record& fused = trace.records()[0];
    EXPECT_EQ(fused.about().name, "self");
    EXPECT_EQ(fused.about().kind, "self");
    EXPECT_EQ(fused.about().score, "scaled_dot");
    EXPECT_EQ(fused.heads(), (std::vector<int>{1, 3}));

    const Memory memory = attention->remember({.keys = x, .of = of}, {});
    attention->attend({.rows = x, .of = of, .want_weights = true}, memory, {},
                      pass.in("self"));
    const Record& general = trace.records()[1];
    for (int b = 0; b < of.count(); ++b) {
      for (const int head : {1, 3}) {
        EXPECT_TRUE(close(fused.weights(b, head).span(),
                          general.weights(b, head).span(), 1e-5));
      }
      EXPECT_EQ(fused.valid(b), general.valid(b));
    }
    EXPECT_THROW(fused.weights(0, 0), Error);
    EXPECT_EQ(trace.of("self").size(), 2u);
    EXPECT_THROW(trace.of("cross"), Error);
  }
}

// SPEC E6: what the neuron view shows adds up.
TEST(Trace, VectorsGiveTheWeightsAgain) {
  const Segments of = lengths({5, 1, 7});
  const Var x(random_tensor({of.total(), 16}, 1));
  for (const int kv_heads : {4, 2}) {
    ComposedConfig config;
    config.heads = 4;
    config.kv_heads = kv_heads;
    config.causal = true;
    config.temperature = 0.7f;
    const auto attention = make_attention(config, {.query = 16}, RandomKey(1));
    Trace trace({Trace::Request{.vectors = true}});
    Pass pass;
    pass.trace = &trace;
    attention->self(x, of, pass.in("self"));
    const Record& record = trace.records().front();
    ASSERT_TRUE(record.has_vectors());
    for (int b = 0; b < of.count(); ++b) {
      for (int head = 0; head < 4; ++head) {
        const Record::HeadVectors v = record.vectors(b, head);
        const Tensor weights = record.weights(b, head);
        for (int i = 0; i < of.length(b); ++i) {
          std::vector<double> e;
          double sum = 0;
          for (int j = 0; j <= i; ++j) {
            double dot = 0;
            for (int d = 0; d < 4; ++d) {
              dot += static_cast<double>(v.query[i * 4 + d]) * v.key[j * 4 + d];
            }
            e.push_back(std::exp(v.scale * dot));
            sum += e.back();
          }
          for (int j = 0; j <= i; ++j) {
            EXPECT_NEAR(e[j] / sum, weights[i * of.length(b) + j], 1e-5);
          }
        }
      }
    }
  }
}

TEST(Trace, HasVectorsOnlyWhereTheyWereAskedForAndMakeTheWeights) {
  const Segments of = lengths({5});
  const Var x(random_tensor({of.total(), 16}, 1));
  const auto has_vectors = [&](const ComposedConfig& config, bool asked) {
    const auto attention = make_attention(config, {.query = 16}, RandomKey(1));
    Trace trace({Trace::Request{.vectors = asked}});
    Pass pass;
    pass.trace = &trace;
    attention->self(x, of, pass.in("self"));
    return trace.records().front().has_vectors();
  };
  EXPECT_TRUE(has_vectors({}, true));
  EXPECT_FALSE(has_vectors({}, false));
  EXPECT_FALSE(has_vectors({.score = "additive"}, true));
  EXPECT_FALSE(has_vectors({.normaliser = "sparsemax"}, true));
  EXPECT_FALSE(has_vectors({.position = "alibi"}, true));
  EXPECT_TRUE(has_vectors({.position = "rope"}, true));
}

TEST(Trace, TellsHiddenKeysFromKeysWithoutWeight) {
  ComposedConfig config;
  config.causal = true;
  const auto attention = make_attention(config, {.query = 4}, RandomKey(1));
  Trace trace;
  Pass pass;
  pass.trace = &trace;
  const Segments of = lengths({3});
  attention->self(Var(random_tensor({3, 4}, 1)), of, pass.in("self"));
  EXPECT_EQ(trace.records()[0].valid(0),
            (std::vector<bool>{1, 0, 0, 1, 1, 0, 1, 1, 1}));
  const Tensor w = trace.records()[0].weights(0, 0);
  EXPECT_EQ(w[0], 1.0f);
  EXPECT_EQ(w[1], 0.0f);
  EXPECT_TRUE(same_bits(trace.records()[0].mean_weights(0).span(), w.span()));
}

}  // namespace
}  // namespace fovea
