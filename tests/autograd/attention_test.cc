#include "fovea/autograd/attention.h"

#include "fovea/base/check.h"
#include "support/attention_case.h"
#include "support/compare.h"
#include "support/random.h"

namespace fovea {
namespace {

using testing::AttentionCase;
using testing::close;
using testing::cross_case;
using testing::Doubles;
using testing::kGradientTolerance;
using testing::same_bits;
using testing::self_case;

AttentionConfig config_of(const AttentionCase& c) {
  const auto& o = c.twin.options;
  return {.heads = o.heads,
          .kv_heads = o.kv_heads,
          .causal = o.causal,
          .window_left = o.window_left,
          .window_right = o.window_right,
          .alibi = {o.alibi.begin(), o.alibi.end()},
          .dropout = o.dropout,
          .key = o.key};
}

Var parameter(const std::vector<float>& x, int64_t rows) {
  return Var::parameter(Tensor::from(
      {rows, rows ? static_cast<int64_t>(x.size()) / rows : 8}, x));
}

TEST(Attention, HasTheTwinsValueAndGradient) {
  AttentionCase c = cross_case({5, 0, 1, 30}, {9, 3, 1, 30}, 4, 6);
  c.twin.options.kv_heads = 2;
  c.twin.options.causal = true;
  c.twin.options.dropout = 0.1f;
  c.fill(1);
  const Var q = parameter(c.q, c.query_rows), k = parameter(c.k, c.key_rows),
            v = parameter(c.v, c.key_rows);
  const auto out = attention(q, k, v, c.twin.spans, config_of(c));
  EXPECT_FALSE(out.weights);
  EXPECT_TRUE(close(out.context.value(), c.twin.context(c.doubles()), 2e-5));
  out.context.backward(Tensor::from(out.context.shape(), c.dout));
  const auto expected = c.twin.gradient(c.doubles(), AttentionCase::to(c.dout));
  EXPECT_TRUE(close(q.grad(), expected[0], kGradientTolerance));
  EXPECT_TRUE(close(k.grad(), expected[1], kGradientTolerance));
  EXPECT_TRUE(close(v.grad(), expected[2], kGradientTolerance));
}

TEST(Attention, AddsUpTheGradientsOfOneInputUsedThreeTimes) {
  AttentionCase c = self_case({4, 17}, 2, 5);
  c.fill(2);
  c.k = c.v = c.q;
  const Var x = parameter(c.q, c.query_rows);
  const auto out = attention(x, x, x, c.twin.spans, config_of(c));
  out.context.backward(Tensor::from(out.context.shape(), c.dout));
  const auto parts = c.twin.gradient(c.doubles(), AttentionCase::to(c.dout));
  Doubles sum = parts[0];
  for (size_t i = 0; i < sum.size(); ++i) sum[i] += parts[1][i] + parts[2][i];
  EXPECT_TRUE(close(x.grad(), sum, kGradientTolerance));
}

TEST(Attention, ReadsOneProjectionLikeThreeInputs) {
  AttentionCase c = self_case({4, 0, 17}, 4, 3);
  c.twin.options.kv_heads = 2;
  c.fill(3);
  const int n = c.query_rows, wide = 12, narrow = 6, all = 24;
  Tensor fused({n, all});
  const auto place = [&](const std::vector<float>& x, int at, int width) {
    for (int i = 0; i < n * width; ++i) {
      fused[i / width * all + at + i % width] = x[i];
    }
  };
  place(c.q, 0, wide);
  place(c.k, wide, narrow);
  place(c.v, wide + narrow, narrow);
  const Var x = Var::parameter(fused);
  const auto out = attention(x, c.twin.spans, config_of(c));
  const auto three = attention(parameter(c.q, n), parameter(c.k, n),
                               parameter(c.v, n), c.twin.spans, config_of(c));
  EXPECT_TRUE(
      same_bits(out.context.value().span(), three.context.value().span()));
  out.context.backward(Tensor::from(out.context.shape(), c.dout));
  const auto parts = c.twin.gradient(c.doubles(), AttentionCase::to(c.dout));
  Doubles expected(n * all);
  for (int i = 0; i < n; ++i) {
    for (int y = 0; y < all; ++y) {
      expected[i * all + y] = y < wide ? parts[0][i * wide + y]
                              : y < wide + narrow
                                  ? parts[1][i * narrow + y - wide]
                                  : parts[2][i * narrow + y - wide - narrow];
    }
  }
  EXPECT_TRUE(close(x.grad(), expected, kGradientTolerance));
}

TEST(Attention, GivesTheWeightsWithoutChangingTheContext) {
  AttentionCase c = self_case({3, 40}, 3, 8);
  c.fill(4);
  AttentionConfig config = config_of(c);
  const Var q = parameter(c.q, c.query_rows), k = parameter(c.k, c.key_rows),
            v = parameter(c.v, c.key_rows);
  const auto plain = attention(q, k, v, c.twin.spans, config);
  config.weight_heads = {2};
  const NoGrad off;
  const auto asked = attention(q, k, v, c.twin.spans, config);
  EXPECT_TRUE(close(asked.weights, c.twin.weights(c.doubles(), {2}), 1e-5));
  EXPECT_TRUE(
      same_bits(asked.context.value().span(), plain.context.value().span()));
}

TEST(Attention, OwnsTheScoreUntilItsGradientIsKnown) {
  AttentionCase c = self_case({3, 40}, 2, 8);
  c.twin.change = [](double s, const ScoreAt& at) {
    return s * (1 + at.key % 3);
  };
  c.twin.mask = [](const ScoreAt& at) { return at.key % 5 != 2; };
  c.fill(4);
  const Var q = parameter(c.q, c.query_rows), k = parameter(c.k, c.key_rows),
            v = parameter(c.v, c.key_rows);
  const auto attend = [&] {
    const std::vector<float> factors = {1, 2, 3};
    AttentionConfig config = config_of(c);
    config.score = custom_score(
        [factors](auto s, const ScoreAt& at) {
          return s * factors[at.key % 3];
        },
        c.twin.mask);
    return attention(q, k, v, c.twin.spans, config).context;
  };
  const Var context = attend();
  EXPECT_TRUE(close(context.value(), c.twin.context(c.doubles()), 2e-5));
  context.backward(Tensor::from(context.shape(), c.dout));
  const auto expected = c.twin.gradient(c.doubles(), AttentionCase::to(c.dout));
  EXPECT_TRUE(close(q.grad(), expected[0], kGradientTolerance));
  EXPECT_TRUE(close(k.grad(), expected[1], kGradientTolerance));
  EXPECT_TRUE(close(v.grad(), expected[2], kGradientTolerance));
}

TEST(Attention, TakesNoSequenceAtAll) {
  const Var none = parameter({}, 0);
  const auto out = attention(none, none, none, {}, {.heads = 2});
  EXPECT_EQ(out.context.shape(), (Shape{0, 8}));
}

TEST(Attention, FillsRowsOutsideOfAllSpansWithZeros) {
  const Var x = Var::parameter(Tensor::full({4, 2}, 1));
  const auto out =
      attention(x, x, x, {kernels::attention_span(1, 2, 0, 2)}, {.heads = 1});
  for (int i : {0, 1, 6, 7}) EXPECT_EQ(out.context.value()[i], 0);
  for (int i : {2, 3, 4, 5}) EXPECT_FLOAT_EQ(out.context.value()[i], 1);
}

TEST(Attention, NamesTheMistakeOfItsCaller) {
  const Var x = Tensor::full({4, 6}, 1);
  const Segments two = Segments::from_lengths(std::vector<int>{1, 3});
  const auto spans = attention_spans(two, two);
  const auto message = [&](std::vector<AttentionSpan> s, AttentionConfig c) {
    try {
      attention(x, x, x, std::move(s), c);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message(spans, {.heads = 2}), "");
  EXPECT_NE(message(spans, {.heads = 4}).find("6 columns of queries for 4"),
            std::string::npos);
  EXPECT_NE(message(spans, {.heads = 3, .kv_heads = 2}).find("3 heads"),
            std::string::npos);
  EXPECT_NE(message({{3, 2, 0, 4, 0}}, {}).find("2 queries from row 3"),
            std::string::npos);
  EXPECT_NE(message({{0, 2, 2, 3, 0}}, {}).find("3 keys from row 2"),
            std::string::npos);
  EXPECT_NE(message({{1, 2, 0, 4, 0}, {0, 2, 0, 4, 0}}, {}).find("query row 1"),
            std::string::npos);
  EXPECT_NE(message(spans, {.dropout = 1}).find("dropout is 1"),
            std::string::npos);
  EXPECT_NE(message(spans, {.alibi = {1, 2}}).find("2 slopes"),
            std::string::npos);
  EXPECT_NE(message(spans, {.weight_heads = {1}}).find("head 1 of 1"),
            std::string::npos);
  EXPECT_THROW(attention_spans(two, Segments()), Error);
}

}  // namespace
}  // namespace fovea
