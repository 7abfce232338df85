#include "fovea/autograd/topk_attention.h"

#include "fovea/autograd/pairs.h"
#include "fovea/autograd/softmax.h"
#include "fovea/base/check.h"
#include "support/compare.h"
#include "support/gradients.h"
#include "support/random.h"

namespace fovea {
namespace {

using namespace testing;  // NOLINT: the support library

constexpr int kTop = 3;

// The same by pairs, one after another.
Var by_pairs(const Var& q, const Var& k, const Var& v, const Segments& queries,
             const Segments& keys) {
  std::vector<Pairs::Row> rows;
  for (int b = 0; b < queries.count(); ++b) {
    for (int i = 0; i < queries.length(b); ++i) {
      rows.push_back({.key = keys.begin(b), .keys = keys.length(b)});
    }
  }
  const Pairs pairs(rows, 4, 2);
  const Var w =
      topk_softmax(pair_dot(q, k, pairs, 0.5f), pairs.segments(), kTop);
  return pair_sum(w, v, pairs);
}

struct Inputs {
  Segments queries = Segments::from_lengths(std::vector{5, 0, 1, 9});
  Segments keys = Segments::from_lengths(std::vector{8, 2, 1, 0});
  Var q = Var::parameter(random_tensor({15, 4 * 6}, 1));
  Var k = Var::parameter(random_tensor({11, 2 * 6}, 2));
  Var v = Var::parameter(random_tensor({11, 2 * 10}, 3));
  AttentionConfig config{.heads = 4, .kv_heads = 2, .scale = 0.5f};

  Var run() const {
    return topk_attention(q, k, v, attention_spans(queries, keys), config,
                          kTop);
  }
};

TEST(TopkAttentionOp, EqualsPairsWithItsGradients) {
  const Inputs a, b;
  const Var fused = a.run();
  const Var slow = by_pairs(b.q, b.k, b.v, b.queries, b.keys);
  EXPECT_TRUE(close(fused.value().span(), slow.value().span(), 1e-5));
  const Tensor seed = random_tensor(fused.shape(), 4);
  fused.backward(seed);
  slow.backward(seed);
  a.run().backward(seed);  // gradients add up
  by_pairs(b.q, b.k, b.v, b.queries, b.keys).backward(seed);
  EXPECT_TRUE(close(a.q.grad().span(), b.q.grad().span(), 1e-4));
  EXPECT_TRUE(close(a.k.grad().span(), b.k.grad().span(), 1e-4));
  EXPECT_TRUE(close(a.v.grad().span(), b.v.grad().span(), 1e-4));
}

TEST(TopkAttentionOp, MayHaveOneInputForAllThree) {
  const Segments of = Segments::from_lengths(std::vector{7, 3});
  const auto spans = attention_spans(of, of);
  const Var x = Var::parameter(random_tensor({10, 8}, 1));
  const Var q = Var::parameter(x.value().clone());
  const Var k = Var::parameter(x.value().clone());
  const Var v = Var::parameter(x.value().clone());
  const AttentionConfig config{.heads = 2};
  const Tensor seed = random_tensor({10, 8}, 2);
  topk_attention(x, x, x, spans, config, kTop).backward(seed);
  topk_attention(q, k, v, spans, config, kTop).backward(seed);
  Doubles sum = to_double(q.grad());
  for (size_t i = 0; i < sum.size(); ++i) sum[i] += k.grad()[i] + v.grad()[i];
  EXPECT_TRUE(close(x.grad(), sum, 1e-5));
}

TEST(TopkAttentionOp, GivesTheSameBitsWithoutAGraph) {
  const Inputs a;
  const Tensor recorded = a.run().value();
  const NoGrad no_grad;
  EXPECT_TRUE(same_bits(recorded.span(), a.run().value().span()));
}

TEST(TopkAttentionOp, RefusesWhatItCannotDo) {
  Inputs a;
  EXPECT_THROW(topk_attention(a.q, a.k, a.v, {}, a.config, 0), Error);
  a.config.dropout = 0.1f;
  EXPECT_THROW(a.run(), Error);
}

}  // namespace
}  // namespace fovea
