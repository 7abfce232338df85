#include "fovea/attend/score_additive.h"

#include <cmath>

#include "fovea/base/check.h"
#include "support/compare.h"
#include "support/random.h"
#include "support/twin_attend.h"

namespace fovea {
namespace {

using namespace testing;  // NOLINT: the support library

// Of one head of `size` inside the tanh: W1 k + W2 q, and a bias if there is
// one.
Doubles inside(const TwinPair& pair, size_t size) {
  const TwinQuery& query = pair.query;
  const Doubles q = twin_linear(query.param("score.query.weight"), query.raw);
  const Doubles k = twin_linear(query.param("score.key.weight"), pair.key_row);
  const auto bias = query.params.find("score.query.bias");
  Doubles sum;
  for (size_t i = 0; i < size; ++i) {
    const size_t at = pair.head * size + i;
    sum.push_back(q[at] + k[pair.key_head() * size + i] +
                  (bias == query.params.end() ? 0.0 : bias->second[at]));
  }
  return sum;
}

double additive(const TwinPair& pair) {
  const Doubles& v = pair.query.param("score.v");
  const size_t size = v.size() / pair.heads;
  const Doubles x = inside(pair, size);
  double sum = 0;
  for (size_t i = 0; i < size; ++i) {
    sum += v[pair.head * size + i] * std::tanh(x[i]);
  }
  return sum;
}

double normalised(const TwinPair& pair) {
  const Doubles& v = pair.query.param("score.v");
  const size_t size = v.size() / pair.heads;
  const auto own = std::span(v).subspan(pair.head * size, size);
  return additive(pair) * pair.query.param("score.gain")[pair.head] /
         std::sqrt(twin_dot(own, own));
}

TEST(AdditiveScore, EqualsItsTwin) {
  check_attend(
      {.problem = {.config = {.score = "additive", .options = {"hidden=5"}},
                   .sizes = {.query = 4, .key = 7, .value = 6}},
       .score = additive});
}

TEST(AdditiveScore, EqualsItsTwinWithABiasAndHeadsThatShareKeys) {
  check_attend(
      {.problem = {.config = {.score = "additive",
                              .heads = 4,
                              .kv_heads = 2,
                              .options = {"hidden=3", "tanh-bias=true"}},
                   .sizes = {.query = 8, .key = 3, .value = 6}},
       .score = additive});
}

TEST(AdditiveScore, EqualsItsTwinIfItIsNormalised) {
  check_attend({.problem = {.config = {.score = "additive",
                                       .heads = 2,
                                       .options = {"normalise=true"}}},
                .score = normalised});
}

TEST(AdditiveScore, GivesTheNumbersOfTheSpecification) {
  const AttendCase c{.config = bare_config("additive"),
                     .sizes = {.query = 2},
                     .queries = {1},
                     .keys = {2}};
  const auto attention = new_attention(c.config, c.sizes);
  const Tensor identity = Tensor::of({2, 2}, {1, 0, 0, 1});
  param(*attention, "score.query.weight") = identity;
  param(*attention, "score.key.weight") = identity;
  param(*attention, "score.v") = Tensor::of({2}, {1, -1});
  const Tensor keys = Tensor::of({2, 2}, {.5, 0, -.5, 0});
  const Attended a = attend_once(
      *attention, c, {Tensor::of({1, 2}, {.5, 0}), keys, keys}, true);
  EXPECT_TRUE(
      close(a.weights.values.value(), Doubles{0.6816997, 0.3183003}, 1e-6));
}

// SPEC A5: every step is uniform at first, and v alone gets a gradient.
TEST(AdditiveScore, StartsUniformlyIfInitialisedAsBahdanauDid) {
  const AttendCase c{.config = bare_config("additive", {"init=bahdanau"})};
  const auto attention = new_attention(c.config, c.sizes);
  const Attended a = attend_once(*attention, c, random_rows(c), true);
  for (int64_t m = 0; m < a.weights.pairs.rows(); ++m) {
    const int keys = a.weights.pairs.row(m).keys;
    for (int j = 0; j < keys; ++j) {
      EXPECT_EQ(a.weights.values.value()[a.weights.pairs.begin(m, 0) + j],
                1.0f / static_cast<float>(keys));
    }
  }
  a.context.backward(random_tensor(a.context.shape(), 5));
  const auto largest = [&](const std::string& name) {
    float max = 0;
    for (float g : param(*attention, name).grad().span()) {
      max = std::max(max, std::abs(g));
    }
    return max;
  };
  EXPECT_EQ(largest("score.query.weight"), 0);
  EXPECT_EQ(largest("score.key.weight"), 0);
  EXPECT_GT(largest("score.v"), 0);
  double squares = 0;
  for (float w : param(*attention, "score.key.weight").value().span()) {
    squares += w * w;
  }
  EXPECT_NEAR(std::sqrt(squares / 36), 0.001, 0.0004);
}

TEST(AdditiveScore, StartsAsLuongsModelsIfAsked) {
  ComposedConfig config =
      bare_config("additive", {"init=luong", "normalise=true"});
  config.coverage = true;
  const auto attention = new_attention(config, {.query = 40});
  for (const char* name : {"score.query.weight", "score.key.weight", "score.v",
                           "score.coverage"}) {
    float max = 0;
    for (float w : param(*attention, name).value().span()) {
      max = std::max(max, std::abs(w));
    }
    EXPECT_LE(max, 0.1f) << name;
    EXPECT_GT(max, 0.09f) << name;
  }
  EXPECT_EQ(param(*attention, "score.v").shape(), (Shape{40}));
}

TEST(AdditiveScore, HasTheParametersOfTheTable) {
  const AttentionSizes sizes{.query = 3, .key = 5, .value = 4};
  const auto plain =
      new_attention(bare_config("additive", {"hidden=7"}), sizes);
  EXPECT_EQ(Params(*plain).count(), 7 * (3 + 5 + 1));
  const auto normed = new_attention(
      bare_config("additive", {"hidden=7", "normalise=true"}), sizes);
  EXPECT_EQ(Params(*normed).count(), 7 * (3 + 5 + 2) + 1);
  EXPECT_FLOAT_EQ(param(*normed, "score.gain").value()[0], 1 / std::sqrt(7.0f));
}

// SPEC B16: the weights of the steps before, added up, times a weight.
TEST(AdditiveScore, KnowsWhatEachKeyHasHad) {
  AttendCase c{.config = bare_config("additive"), .queries = {2}, .keys = {3}};
  c.config.coverage = true;
  const auto attention = random_attention(c);
  const AttendRows rows = random_rows(c);
  const Attended both = attend_once(*attention, c, rows, true);
  NamedDoubles params;
  const Params all(*attention);
  for (const auto& [name, value] : all.parameters()) {
    params[name] = to_double(value->value());
  }
  Doubles had(3, 0.0);
  const TwinAttend twin{
      .problem = c,
      .score =
          [&](const TwinPair& pair) {
            const Doubles x = inside(pair, 6);
            double sum = 0;
            for (size_t i = 0; i < 6; ++i) {
              sum +=
                  params["score.v"][i] *
                  std::tanh(x[i] + had[pair.key] * params["score.coverage"][i]);
            }
            return sum;
          },
      .adjust =
          [&](const TwinQuery&, int, const Doubles& weights) {
            for (size_t j = 0; j < 3; ++j) had[j] += weights[j];
          }};
  const auto expected =
      twin.run(to_double(rows.queries.value()), to_double(rows.keys.value()),
               to_double(rows.values.value()), params);
  EXPECT_TRUE(close(both.weights.values.value(), expected.weights, 1e-5));
  EXPECT_TRUE(close(both.carry.values.value(), had, 1e-5));
}

TEST(AdditiveScore, RefusesOptionsThatContradict) {
  const auto make = [](std::vector<std::string> options) {
    return new_attention(bare_config("additive", std::move(options)),
                         {.query = 4});
  };
  EXPECT_THROW(make({"init=bahdanau", "normalise=true"}), Error);
  EXPECT_THROW(make({"hidden=-1"}), Error);
}

}  // namespace
}  // namespace fovea
