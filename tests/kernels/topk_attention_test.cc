#include "fovea/kernels/topk_attention.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "support/attention_case.h"
#include "support/compare.h"
#include "support/effort.h"
#include "support/random.h"

namespace fovea::kernels {
namespace {

using namespace fovea::testing;  // NOLINT: the support library

struct Result {
  std::vector<float> out, weights;
  std::vector<int> keys;
  std::vector<float> dq, dk, dv;
};

TopkChoice choice_of(Result& r, int k) { return {k, r.keys, r.weights}; }

Result run(const AttentionCase& c, int k) {
  const auto& options = c.twin.options;
  Result r;
  r.out.assign(size_t(c.query_rows) * c.out_width(), 0.0f);
  r.keys.assign(size_t(c.query_rows) * options.heads * k, -1);
  r.weights.assign(r.keys.size(), 0.0f);
  topk_attention_forward(c.inputs(), options,
                         {r.out.data(), c.query_rows, c.out_width()},
                         choice_of(r, k));
  r.dq.assign(c.q.size(), NAN);
  r.dk.assign(c.k.size(), 0.0f);
  r.dv.assign(c.v.size(), 0.0f);
  topk_attention_backward(
      c.inputs(), options, choice_of(r, k),
      {.dout = {c.dout.data(), c.query_rows, c.out_width()},
       .dq = {r.dq.data(), c.query_rows, options.heads * c.twin.k},
       .dk = {r.dk.data(), c.key_rows, options.kv_heads * c.twin.k},
       .dv = {r.dv.data(), c.key_rows, options.kv_heads * c.twin.v}});
  return r;
}

// Attention whose mask leaves the k largest weights of each row: a twin of
// top-k.
TwinAttention topk_twin(const AttentionCase& c, int k) {
  std::set<std::tuple<int, int, int>> kept;  // head, query row, key row
  const auto& options = c.twin.options;
  std::vector<int> heads(options.heads);
  for (int h = 0; h < options.heads; ++h) heads[h] = h;
  const Doubles weights = c.twin.weights(c.doubles(), heads);
  auto row = weights.begin();
  for (const AttentionSpan& span : c.twin.spans) {
    for (int h : heads) {
      for (int i = 0; i < span.queries; ++i, row += span.keys) {
        std::vector<int> order;
        for (int j = 0; j < span.keys; ++j) {
          if (row[j] > 0) order.push_back(j);
        }
        std::ranges::stable_sort(order,
                                 [&](int a, int b) { return row[a] > row[b]; });
        order.resize(std::min<size_t>(order.size(), k));
        for (int j : order) kept.insert({h, span.query + i, span.key + j});
      }
    }
  }
  TwinAttention twin = c.twin;
  twin.mask = [kept](const ScoreAt& at) {
    return kept.contains({at.head, at.query_row, at.key_row});
  };
  return twin;
}

void expect_same(const Result& a, const Result& b) {
  EXPECT_TRUE(same_bits(a.out, b.out));
  EXPECT_EQ(a.keys, b.keys);
  EXPECT_TRUE(same_bits(a.weights, b.weights));
  EXPECT_TRUE(same_bits(a.dq, b.dq));
  EXPECT_TRUE(same_bits(a.dk, b.dk));
  EXPECT_TRUE(same_bits(a.dv, b.dv));
}

void expect_like_twin(AttentionCase c, int k) {
  c.fill(7);
  const TwinAttention twin = topk_twin(c, k);
  const Doubles context = twin.context(c.doubles());
  const auto gradient = twin.gradient(c.doubles(), AttentionCase::to(c.dout));
  on_every_target([&] {
    const Result r = run(c, k);
    EXPECT_TRUE(close(r.out, context, 1e-5));
    EXPECT_TRUE(close(r.dq, gradient[0], kGradientTolerance));
    EXPECT_TRUE(close(r.dk, gradient[1], kGradientTolerance));
    EXPECT_TRUE(close(r.dv, gradient[2], kGradientTolerance));
    with_threads({1, 2, 4}, [&](int) { expect_same(run(c, k), r); });
  });
}

TEST(TopkAttention, EqualsTheTwinOnOddSizes) {
  for (int size : {1, 3, 8, 17, 40, 64}) {
    for (int k : {1, 3, 8}) {
      SCOPED_TRACE(::testing::Message() << size << " " << k);
      expect_like_twin(cross_case({5, 0, 1, 7, 3}, {9, 4, 1, 0, 30}, 2, size),
                       k);
    }
  }
}

TEST(TopkAttention, EqualsTheTwinOnLongSequences) {
  expect_like_twin(cross_case({100, 70}, {700, 290}, 2, 24), 16);
}

TEST(TopkAttention, EqualsTheTwinWithMasksBiasAndSharedKeys) {
  for (bool causal : {false, true}) {
    AttentionCase c = self_case({60, 1, 0, 33}, 6, 16);
    c.twin.options.kv_heads = 2;
    c.twin.options.causal = causal;
    c.twin.v = 20;
    const std::vector<float> slopes = {0.5f, 0.25f, 0.1f, 0, 0.3f, 0.01f};
    c.twin.options.alibi = slopes;
    expect_like_twin(c, 5);
    c.twin.options.window_left = 9;
    c.twin.options.window_right = 2;
    expect_like_twin(c, 5);
  }
}

TEST(TopkAttention, EqualsTheTwinWhereSpansShareKeys) {
  AttentionCase c = cross_case({4, 3, 5}, {20, 20, 20}, 2, 8);
  for (AttentionSpan& span : c.twin.spans) span.key = 0;
  c.key_rows = 20;
  expect_like_twin(c, 4);
}

TEST(TopkAttention, EqualsAttentionWhenEveryKeyIsChosen) {
  AttentionCase c = cross_case({30, 9}, {25, 31}, 3, 16);
  c.fill(3);
  on_every_target([&] {
    const AttentionResult all = run_forward(c);
    EXPECT_TRUE(close(run(c, 31).out, all.out, 1e-5));
  });
}

TEST(TopkAttention, TakesTheFirstOfEqualKeys) {
  AttentionCase c = cross_case({3}, {40}, 1, 8);
  c.fill(3);
  for (size_t i = 8; i < c.k.size(); ++i) c.k[i] = c.k[i % 8];
  on_every_target([&] {
    const Result r = run(c, 4);
    for (int i = 0; i < 12; ++i) EXPECT_EQ(r.keys[i], i % 4);
    for (float w : r.weights) EXPECT_NEAR(w, 0.25f, 1e-6f);
  });
}

TEST(TopkAttention, GivesARowTheSameBitsAloneAndInCompany) {
  AttentionCase c = cross_case({250, 3}, {600, 50}, 2, 16);
  c.fill(5);
  on_every_target([&] {
    const Result all = run(c, 7);
    for (int m : {0, 47, 48, 191, 192, 249}) {
      AttentionCase one = c;
      one.twin.spans = {c.twin.spans[0]};
      one.twin.spans[0].query = m;
      one.twin.spans[0].queries = 1;
      one.twin.spans[0].position += m;
      const Result alone = run(one, 7);
      const auto row = [&](const std::vector<float>& x) {
        return std::vector<float>(x.begin() + m * 32, x.begin() + (m + 1) * 32);
      };
      EXPECT_TRUE(same_bits(row(alone.out), row(all.out))) << m;
    }
  });
}

// More keys than are packed at a time, and more queries than a chunk.
TEST(LongTopkAttention, EqualsTheTwinOverSeveralStretches) {
  expect_like_twin(cross_case({200}, {3000}, 1, 128), 33);
}

}  // namespace
}  // namespace fovea::kernels
