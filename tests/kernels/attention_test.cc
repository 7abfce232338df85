#include "fovea/kernels/attention.h"

#include <cmath>
#include <limits>

#include "support/attention_case.h"
#include "support/compare.h"
#include "support/effort.h"
#include "support/random.h"

namespace fovea::kernels {
namespace {

using testing::AttentionCase;
using testing::AttentionGrads;
using testing::AttentionResult;
using testing::close;
using testing::cross_case;
using testing::Doubles;
using testing::effort;
using testing::kGradientTolerance;
using testing::on_every_target;
using testing::run_backward;
using testing::run_forward;
using testing::same_bits;
using testing::self_case;
using testing::with_threads;

void expect_like_twin(const AttentionCase& c, double tolerance = 2e-5) {
  const auto inputs = c.doubles();
  const Doubles context = c.twin.context(inputs);
  const auto gradient = c.twin.gradient(inputs, AttentionCase::to(c.dout));
  on_every_target([&] {
    with_threads({1, 2, 4}, [&](int) {
      const AttentionResult r = run_forward(c);
      EXPECT_TRUE(close(r.out, context, tolerance));
      const AttentionGrads g = run_backward(c, r);
      EXPECT_TRUE(close(g.dq, gradient[0], kGradientTolerance));
      EXPECT_TRUE(close(g.dk, gradient[1], kGradientTolerance));
      EXPECT_TRUE(close(g.dv, gradient[2], kGradientTolerance));
    });
  });
}

const std::vector<int> kRagged = {7, 0, 1, 33, 16, 49, 2};

TEST(Attention, MatchesTheTwinOnOddHeadSizes) {
  for (int size : {1, 3, 7, 8, 15, 16, 17, 33, 64, 80, 128}) {
    SCOPED_TRACE(size);
    AttentionCase c = self_case(kRagged, 2, size);
    c.twin.v = size == 64 ? 24 : size;
    c.fill(size);
    expect_like_twin(c);
  }
}

TEST(Attention, MatchesTheTwinOnLengthsAroundTheBlocks) {
  for (int length : {1, 5, 6, 47, 48, 49, 127, 128, 129, 191, 192, 193, 300}) {
    SCOPED_TRACE(length);
    AttentionCase c = self_case({length}, 1, 9);
    c.twin.options.causal = length % 2 == 0;
    c.fill(length);
    expect_like_twin(c);
  }
}

TEST(Attention, MatchesTheTwinWithEveryMask) {
  const std::vector<float> slopes = {0.5f, 0.0625f};
  uint64_t seed = 0;
  for (bool causal : {false, true}) {
    for (int left : {-1, 0, 3, 40}) {
      for (int right : {-1, 0, 5}) {
        for (bool alibi : {false, true}) {
          SCOPED_TRACE(::testing::Message() << causal << " " << left << " "
                                            << right << " " << alibi);
          AttentionCase c = cross_case({5, 1, 0, 60, 12, 3, 2},
                                       {9, 1, 4, 60, 0, 140, 1}, 2, 5);
          c.twin.options.causal = causal;
          c.twin.options.window_left = left;
          c.twin.options.window_right = right;
          if (alibi) c.twin.options.alibi = slopes;
          c.fill(++seed);
          expect_like_twin(c);
        }
      }
    }
  }
}

TEST(Attention, SumsGroupedHeadsIntoTheSharedOne) {
  for (int kv_heads : {1, 2, 3, 6}) {
    SCOPED_TRACE(kv_heads);
    AttentionCase c = self_case(kRagged, 6, 11);
    c.twin.options.kv_heads = kv_heads;
    c.twin.options.causal = true;
    c.fill(kv_heads);
    expect_like_twin(c);
  }
}

TEST(Attention, MatchesTheTwinWithDropout) {
  AttentionCase c = self_case({7, 0, 1, 33, 200}, 2, 20);
  c.twin.options.dropout = 0.3f;
  c.twin.options.key = RandomKey(5);
  c.fill(3);
  expect_like_twin(c);
  c.twin.options.causal = true;
  c.twin.options.window_left = 20;
  expect_like_twin(c);
}

TEST(Attention, LetsSpansShareKeysAndSkipRows) {
  AttentionCase c;
  c.twin.options = {.heads = 2, .kv_heads = 2, .scale = 0.4f};
  c.twin.k = 6;
  c.twin.v = 10;
  c.query_rows = 40;
  c.key_rows = 70;
  // Three beams over one memory, two caches with spare rows between them, one
  // that overlaps, given in no order; positions of their own.
  c.twin.spans = {{3, 4, 50, 15, 2}, {10, 1, 5, 20, 19}, {12, 1, 5, 20, 7},
                  {30, 9, 5, 20, 3}, {20, 2, 0, 3, 1},   {23, 5, 15, 12, -2}};
  c.fill(1);
  expect_like_twin(c);
  c.twin.options.causal = true;
  expect_like_twin(c);
}

TEST(Attention, CutsFewHeadsByKeysWithTheSameBitsForAnyThreads) {
  AttentionCase c = self_case({effort(1300, 1100)}, 1, 3);
  c.twin.options.causal = true;
  c.fill(7);
  expect_like_twin(c);
  AttentionGrads first;
  with_threads({1, 2, 4}, [&](int threads) {
    const AttentionGrads g = run_backward(c, run_forward(c));
    if (threads == 1) first = g;
    EXPECT_TRUE(same_bits(g.dq, first.dq));
    EXPECT_TRUE(same_bits(g.dk, first.dk));
    EXPECT_TRUE(same_bits(g.dv, first.dv));
  });
}

TEST(Attention, ReadsSlicesOfAFusedProjection) {
  AttentionCase c = self_case({5, 20}, 2, 8);
  c.fill(1);
  const int d = 16, n = 25;
  std::vector<float> fused(n * 3 * d), grad(n * 3 * d, 1.0f);
  for (int i = 0; i < n; ++i) {
    for (int x = 0; x < d; ++x) {
      fused[i * 3 * d + x] = c.q[i * d + x];
      fused[i * 3 * d + d + x] = c.k[i * d + x];
      fused[i * 3 * d + 2 * d + x] = c.v[i * d + x];
    }
  }
  const AttentionResult r = run_forward(c);
  std::vector<float> out(n * d);
  const ConstMatrixView all(fused.data(), n, 3 * d);
  const AttentionInputs in{all.col_range(0, d), all.col_range(d, 2 * d),
                           all.col_range(2 * d, 3 * d), c.twin.spans};
  attention_forward(in, c.twin.options, {.out = {out.data(), n, d}});
  EXPECT_TRUE(same_bits(out, r.out));

  const AttentionGrads g = run_backward(c, r);
  const MatrixView d_all(grad.data(), n, 3 * d);
  attention_backward(in, c.twin.options,
                     {.out = {r.out.data(), n, d},
                      .logsumexp = {r.log_sum.data(), n, 2},
                      .dout = {c.dout.data(), n, d},
                      .dq = d_all.col_range(0, d),
                      .dv = d_all.col_range(2 * d, 3 * d),
                      .add_v = true});
  for (int i = 0; i < n * d; ++i) {
    const int at = i / d * 3 * d + i % d;
    EXPECT_FLOAT_EQ(grad[at], g.dq[i]);
    EXPECT_EQ(grad[at + d], 1.0f);  // nobody asked
    EXPECT_NEAR(grad[at + 2 * d], 1 + g.dv[i], 1e-5);
  }
}

TEST(Attention, GivesZerosToAQueryThatSeesNothing) {
  AttentionCase c = cross_case({4, 3, 2}, {2, 0, 300}, 1, 4);
  c.twin.options.causal = true;
  c.twin.spans[2].position = 1000;
  c.twin.options.window_left = 10;
  c.fill(2);
  expect_like_twin(c);
  const AttentionResult r = run_forward(c, {0});
  for (int i : {0, 1, 4, 5, 6, 7, 8}) {
    EXPECT_EQ(r.log_sum[i], -std::numeric_limits<float>::infinity());
    for (int x = 0; x < 4; ++x) EXPECT_EQ(r.out[4 * i + x], 0.0f);
  }
  for (float w : r.weights) EXPECT_FALSE(std::isnan(w));
}

TEST(Attention, IgnoresWhatStandsInHiddenKeys) {
  for (float bad : {std::numeric_limits<float>::infinity(), NAN, 1e38f}) {
    AttentionCase c = self_case({70}, 1, 5);
    c.twin.options.causal = true;
    c.fill(2);
    const AttentionResult before = run_forward(c);
    const int t = 37;
    for (int j = t + 1; j < 70; ++j) {
      for (int x = 0; x < 5; ++x) c.k[5 * j + x] = c.v[5 * j + x] = bad;
    }
    const AttentionResult after = run_forward(c);
    EXPECT_TRUE(same_bits({before.out.data(), 5 * (t + 1)},
                          {after.out.data(), 5 * (t + 1)}));
  }
}

TEST(Attention, SurvivesLargeScores) {
  AttentionCase c = self_case({9, 200}, 2, 16);
  c.twin.options.causal = true;
  c.fill(4, 8.0f);
  expect_like_twin(c, 1e-3);
  c.twin.options.scale = 1e4f;
  c.fill(4, 10.0f);
  for (float x : run_forward(c).out) EXPECT_TRUE(std::isfinite(x));
}

TEST(Attention, ReturnsTheWeightsOfChosenHeads) {
  const std::vector<int> heads = {3, 0};
  AttentionCase c = cross_case({5, 0, 1, 60}, {9, 3, 1, 150}, 4, 12);
  c.twin.options.kv_heads = 2;
  c.twin.options.causal = true;
  c.twin.options.dropout = 0.2f;  // the weights are those before dropout
  c.fill(6);
  const Doubles weights = c.twin.weights(c.doubles(), heads);
  on_every_target([&] {
    with_threads({1, 2, 4}, [&](int) {
      const AttentionResult plain = run_forward(c);
      const AttentionResult r = run_forward(c, heads);
      EXPECT_TRUE(close(r.weights, weights, 1e-5));
      EXPECT_TRUE(same_bits(r.out, plain.out));
      EXPECT_TRUE(same_bits(r.log_sum, plain.log_sum));
    });
  });
}

// Keys are not packed for one query, nor for a few that see the same ones.
TEST(Attention, GivesFewQueriesTheBitsTheyHaveBesideOthers) {
  const std::vector<int> keys = {1, 7, 8, 9, 17, 40, 256, 257, 300};
  for (const int window : {-1, 5, 20}) {
    AttentionCase c =
        cross_case(std::vector<int>(keys.size(), 10), keys, 6, 12);
    c.twin.options.kv_heads = 6;
    c.twin.options.window_left = window;
    c.twin.v = 80;
    c.fill(9);
    AttentionCase few = c;
    few.twin.spans.clear();
    for (const AttentionSpan& span : c.twin.spans) {
      for (int i = 0, count = 1; i < 10; i += count++) {
        few.twin.spans.push_back(
            {span.query + i, count, span.key, span.keys, span.position + i});
      }
    }
    on_every_target([&] {
      const AttentionResult beside = run_forward(c, {4});
      const AttentionResult r = run_forward(few, {4});
      EXPECT_TRUE(same_bits(r.out, beside.out));
      EXPECT_TRUE(same_bits(r.log_sum, beside.log_sum));
      EXPECT_TRUE(same_bits(r.weights, beside.weights));
    });
  }
}

// SPEC Z4.
TEST(Attention, GivesTheWorkedNumbers) {
  AttentionCase c = cross_case({1}, {3}, 1, 1);
  c.twin.v = 3;
  c.twin.options.scale = 1;
  c.q = {1};
  c.k = {1, 2, 3};
  c.v = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  c.dout = {1, 0, 0};
  on_every_target([&] {
    const AttentionResult r = run_forward(c, {0});
    const Doubles alpha = {0.09003057, 0.24472847, 0.66524096};
    EXPECT_TRUE(close(r.out, alpha, 1e-6));
    EXPECT_TRUE(close(r.weights, alpha, 1e-6));
    const AttentionGrads g = run_backward(c, r);
    EXPECT_TRUE(
        close(g.dk, Doubles{0.08192507, -0.02203304, -0.05989202}, 1e-6));
    EXPECT_TRUE(close(
        g.dv, Doubles{0.09003057, 0, 0, 0.24472847, 0, 0, 0.66524096, 0, 0},
        1e-6));
  });
}

TEST(Attention, HasARightTwin) {
  const std::vector<float> slopes = {0.5f, 0.0625f, 0.25f, 0.1f};
  AttentionCase c = cross_case({3, 0, 1, 4}, {5, 2, 1, 2}, 4, 3);
  c.twin.v = 2;
  c.twin.options.kv_heads = 2;
  c.twin.options.causal = true;
  c.twin.options.window_left = 3;
  c.twin.options.alibi = slopes;
  c.twin.options.dropout = 0.25f;
  c.fill(1);
  EXPECT_TRUE(testing::twin_gradient_is_right(
      [&](const auto& inputs) { return c.twin.context(inputs); },
      [&](const auto& inputs, const auto& dy) {
        return c.twin.gradient(inputs, dy);
      },
      c.doubles(), AttentionCase::to(c.dout)));
}

}  // namespace
}  // namespace fovea::kernels
