#include "fovea/attend/pooling.h"

#include <gtest/gtest.h>
// Needs the one above.
#include <rapidcheck/gtest.h>

#include <cmath>

#include "fovea/attend/impose.h"
#include "fovea/attend/trace.h"
#include "fovea/base/check.h"
#include "fovea/base/parallel.h"
#include "support/check_layer.h"
#include "support/compare.h"
#include "support/random.h"
#include "support/twin_softmax.h"

namespace fovea {
namespace {

using testing::close;
using testing::Doubles;
using testing::random_tensor;
using testing::same_bits;

const std::vector<int> kLengths = {3, 0, 1, 5};
constexpr int kWidth = 6;

Segments segments() { return Segments::from_lengths(kLengths); }
Tensor rows() { return random_tensor({9, kWidth}, 1); }

// Scores of rows [N,d] become weights, and these the sums of rows.
Doubles pooled(const Doubles& h, const Doubles& scores, int d) {
  const Doubles alpha = testing::twin_softmax(scores, kLengths);
  Doubles z(kLengths.size() * d, 0.0);
  size_t row = 0;
  for (size_t b = 0; b < kLengths.size(); ++b) {
    for (int i = 0; i < kLengths[b]; ++i, ++row) {
      for (int k = 0; k < d; ++k) z[b * d + k] += alpha[row] * h[row * d + k];
    }
  }
  return z;
}

// Inputs: h, W, b, v.
Doubles twin_additive(const std::vector<Doubles>& in) {
  const size_t hidden = in[2].size(), n = in[0].size() / kWidth;
  Doubles scores(n, 0.0);
  for (size_t i = 0; i < n; ++i) {
    for (size_t a = 0; a < hidden; ++a) {
      double x = in[2][a];
      for (int k = 0; k < kWidth; ++k) {
        x += in[1][a * kWidth + k] * in[0][i * kWidth + k];
      }
      scores[i] += in[3][a] * std::tanh(x);
    }
  }
  return pooled(in[0], scores, kWidth);
}

// Inputs: h, w.
Doubles twin_scaled_dot(const std::vector<Doubles>& in) {
  Doubles scores(in[0].size() / kWidth, 0.0);
  for (size_t i = 0; i < scores.size(); ++i) {
    for (int k = 0; k < kWidth; ++k) {
      scores[i] += in[1][k] * in[0][i * kWidth + k] / std::sqrt(kWidth);
    }
  }
  return pooled(in[0], scores, kWidth);
}

Pooling random_pooling(const PoolingConfig& config, int width = kWidth) {
  Pooling pooling(config, width, RandomKey(3));
  testing::randomise(Params(pooling), 40);
  return pooling;
}

const PoolingConfig kAdditive{}, kDot{.score = PoolingScore::kScaledDot};

TEST(Pooling, MatchesTheTwinOfTheAdditiveScoreWithItsGradients) {
  Pooling pooling(kAdditive, kWidth, RandomKey(1));
  testing::check_layer(
      Params(pooling),
      [&](const auto& in) { return pooling(in[0], segments(), {}).rows; },
      twin_additive, {rows()});
}

TEST(Pooling, MatchesTheTwinOfTheScaledDotWithItsGradients) {
  Pooling pooling(kDot, kWidth, RandomKey(1));
  testing::check_layer(
      Params(pooling),
      [&](const auto& in) { return pooling(in[0], segments(), {}).rows; },
      twin_scaled_dot, {rows()});
}

TEST(Pooling, HasAHiddenLayerOfHalfTheWidthUnlessAsked) {
  Pooling half(kAdditive, kWidth, RandomKey(1));
  EXPECT_EQ(Params(half).count(), 3 * kWidth + 3 + 3);
  Pooling asked({.hidden = 5}, kWidth, RandomKey(1));
  EXPECT_EQ(Params(asked).count(), 5 * kWidth + 5 + 5);
  Pooling narrow(kAdditive, 1, RandomKey(1));
  EXPECT_EQ(Params(narrow).count(), 3);
}

TEST(Pooling, GivesZerosForAnEmptySequenceAndTheRowOfASequenceOfOne) {
  const Tensor x = rows();
  const Tensor z = random_pooling(kAdditive)(x, segments(), {}).rows.value();
  EXPECT_TRUE(
      same_bits(z.row_range(1, 2).span(), Tensor::zeros({1, kWidth}).span()));
  EXPECT_TRUE(same_bits(z.row_range(2, 3).span(), x.row_range(3, 4).span()));
  const Segments none = Segments::from_lengths(std::vector<int>{0, 0});
  EXPECT_EQ(
      random_pooling(kDot)(Tensor({0, kWidth}), none, {}).rows.value()[11],
      0.0f);
}

TEST(Pooling, GivesTheMeanWhenAllRowsAreJudgedAlike) {
  Pooling pooling(kAdditive, 2, RandomKey(1));
  const Params params(pooling);
  for (const auto& p : params.parameters()) p.value->value().fill(0);
  const Tensor x = Tensor::of({3, 2}, {1, 2, 3, 5, 8, 2});
  const Segments of = Segments::from_lengths(std::vector<int>{3});
  EXPECT_TRUE(close(pooling(x, of, {}).rows.value(), Doubles{4, 3}, 1e-6));
}

TEST(Pooling, RecordsOneRowOfWeightsForEachSequence) {
  const Pooling pooling = random_pooling(kDot);
  Trace trace;
  Pass pass;
  pass.trace = &trace;
  const Pooled out = pooling(rows(), segments(), pass.in("pool"));
  const Record& record = *trace.of("pool").at(0);
  EXPECT_EQ(record.about().kind, "pooling");
  EXPECT_EQ(record.about().score, "scaled_dot");
  ASSERT_EQ(record.sequences(), 4);
  EXPECT_EQ(record.queries(3), 1);
  EXPECT_EQ(record.keys(3), 5);
  EXPECT_EQ(record.keys(1), 0);
  const Tensor last = record.weights(3, 0);
  EXPECT_TRUE(
      same_bits(last.span(), out.weights.values.value().span().subspan(4, 5)));
  EXPECT_EQ(record.valid(3), std::vector<bool>(5, true));
}

TEST(Pooling, TakesImposedWeightsAndAHeadMask) {
  const Pooling pooling = random_pooling(kAdditive);
  Impose impose;
  impose.weights("pool", [](const Var&, const Pairs& pairs) {
    return uniform_weights(pairs);
  });
  Pass pass;
  pass.impose = &impose;
  const Tensor x = rows();
  const Tensor z = pooling(x, segments(), pass.in("pool")).rows.value();
  for (int k = 0; k < kWidth; ++k) {
    const float mean = (x[k] + x[kWidth + k] + x[2 * kWidth + k]) / 3;
    EXPECT_NEAR(z[k], mean, 1e-6);
  }
  impose.head_mask("pool", {0.0f});
  const Tensor off = pooling(x, segments(), pass.in("pool")).rows.value();
  EXPECT_EQ(off[0], 0.0f);
}

TEST(Pooling, LetsImposedWeightsLearn) {
  const Pooling pooling = random_pooling(kAdditive);
  const Var given = Var::parameter(Tensor::full({9}, 0.25f));
  Impose impose;
  impose.weights("pool", [&](const Var&, const Pairs&) { return given; });
  Pass pass;
  pass.impose = &impose;
  const Var z = pooling(rows(), segments(), pass.in("pool")).rows;
  z.backward(Tensor::full(z.shape(), 1));
  double sum = 0;
  for (int k = 0; k < kWidth; ++k) sum += rows()[3 * kWidth + k];
  EXPECT_NEAR(given.grad()[3], sum, 1e-5);
}

TEST(Pooling, TakesEveryNormaliserOfScores) {
  Pooling sparse({.score = PoolingScore::kScaledDot, .normaliser = "sparsemax"},
                 1, RandomKey(1));
  Params(sparse).parameters().at(0).value->value().fill(1);
  const Tensor x = Tensor::of({3, 1}, {0.2f, 3, 2.8f});
  const Segments of = Segments::from_lengths(std::vector<int>{3});
  const Pooled out = sparse(x, of, {});
  EXPECT_TRUE(close(out.weights.values.value(), Doubles{0, 0.6, 0.4}, 1e-6));
  EXPECT_NEAR(out.rows.value().item(), 2.92, 1e-6);
  EXPECT_THROW(Pooling({.normaliser = "sum"}, 1, RandomKey(1)), Error);
}

TEST(Pooling, RefusesWhatDoesNotFit) {
  EXPECT_THROW(Pooling({.normaliser = "softmix"}, 4, RandomKey(1)), Error);
  EXPECT_THROW(Pooling({.options = {"nothing=1"}}, 4, RandomKey(1)), Error);
  EXPECT_THROW(Pooling({.hidden = -1}, 4, RandomKey(1)), Error);
  EXPECT_THROW(
      random_pooling(kDot)(random_tensor({3, kWidth}, 1), segments(), {}),
      Error);
}

RC_GTEST_PROP(PoolingLaw, ASequenceAgreesAloneAndInAnyBatch, ()) {
  const auto lengths = *rc::gen::nonEmpty(
      rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 20)));
  const int b = *rc::gen::inRange<int>(0, lengths.size());
  const int width = *rc::gen::element(1, 7, 16);
  const Segments of = Segments::from_lengths(lengths);
  const Pooling pooling =
      random_pooling(*rc::gen::element(kAdditive, kDot), width);
  const Tensor x = random_tensor({of.total(), width}, 5);
  const Tensor all = pooling(x, of, {}).rows.value();
  const Tensor alone =
      pooling(x.row_range(of.begin(b), of.end(b)).clone(),
              Segments::from_lengths(std::vector<int>{lengths[b]}), {})
          .rows.value();
  RC_ASSERT(
      bool(close(all.row_range(b, b + 1).span(), alone.span(), 1e-6, 1.0)));
}

TEST(Pooling, DoesNotDependOnTheNumberOfThreads) {
  const Pooling pooling = random_pooling(kAdditive);
  std::vector<Tensor> results;
  testing::with_threads({1, 2, 4}, [&](int) {
    results.push_back(pooling(rows(), segments(), {}).rows.value());
    EXPECT_TRUE(same_bits(results.back().span(), results[0].span()));
  });
}

}  // namespace
}  // namespace fovea
