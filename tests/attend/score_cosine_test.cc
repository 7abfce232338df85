#include "fovea/attend/score_cosine.h"

#include <cmath>

#include "fovea/base/check.h"
#include "support/compare.h"
#include "support/random.h"
#include "support/twin_attend.h"

namespace fovea {
namespace {

using namespace testing;  // NOLINT: the support library

double cosine(const TwinPair& pair) {
  return twin_dot(pair.q(), pair.k()) /
         std::sqrt(twin_dot(pair.q(), pair.q()) * twin_dot(pair.k(), pair.k()));
}

double softplus_beta(const TwinPair& pair) {
  const Doubles x =
      twin_linear(pair.query.param("score.beta.weight"), pair.query.row);
  return std::log1p(
      std::exp(x[pair.head] + pair.query.param("score.beta.bias")[pair.head]));
}

ComposedConfig bare(std::vector<std::string> options = {}) {
  return bare_config("cosine", std::move(options));
}

TEST(CosineScore, EqualsItsTwin) {
  check_attend({.problem = {.config = bare({"beta=3"})},
                .score = [](const auto& pair) { return 3 * cosine(pair); }});
}

TEST(CosineScore, EqualsItsTwinWithHeadsThatShareKeys) {
  check_attend({.problem = {.config = {.score = "cosine",
                                       .heads = 4,
                                       .kv_heads = 2,
                                       .head_size = 3}},
                .score = cosine});
}

TEST(CosineScore, EqualsItsTwinIfBetaIsLearned) {
  check_attend({.problem = {.config = {.score = "cosine",
                                       .heads = 2,
                                       .options = {"learn-beta=true"}}},
                .score = [](const TwinPair& pair) {
                  return softplus_beta(pair) * cosine(pair);
                }});
}

TEST(CosineScore, GivesTheNumbersOfTheSpecification) {
  const Tensor q = Tensor::of({1, 2}, {1, 0});
  const Tensor k = Tensor::of({3, 2}, {1, 0, 0, 1, 1, 1});
  const auto weights = [&](const std::string& beta) {
    return attend_one(bare({"beta=" + beta}), {q, k, k}).weights.values.value();
  };
  const Doubles thirds(3, 1.0 / 3);
  EXPECT_TRUE(close(weights("0"), thirds, 1e-6));
  EXPECT_TRUE(close(weights("1"), Doubles{0.473041, 0.174022, 0.352937}, 2e-6));
  EXPECT_TRUE(
      close(weights("10"), Doubles{0.949217, 0.0000431, 0.0507395}, 1e-6));
  // Beta to infinity: the largest alone.
  EXPECT_TRUE(close(weights("10000"), Doubles{1, 0, 0}, 1e-6));
  // The fused path as well, whose factor 0 would have a meaning of its own.
  EXPECT_TRUE(
      close(attend_one(bare({"beta=0"}), {q, k, k}, false).context.value(),
            Doubles{2.0 / 3, 2.0 / 3}, 1e-6));
}

TEST(CosineScore, DoesNotSeeLengths) {
  const Tensor q = random_tensor({3, 4}, 1), k = random_tensor({5, 4}, 2);
  const Tensor before = attend_one(bare(), {q, k, k}).weights.values.value();
  const Tensor long_q = q.clone(), long_k = k.clone();
  for (float& x : long_q.span()) x *= 1000;
  for (int64_t i = 0; i < k.size(); ++i) {
    long_k[i] *= std::exp2(static_cast<float>(i / 4) - 3);  // each key its own
  }
  const Tensor after =
      attend_one(bare(), {long_q, long_k, long_k}).weights.values.value();
  EXPECT_TRUE(close(after.span(), before.span(), 1e-5));
}

TEST(CosineScore, IsZeroForAZeroVectorWithoutNan) {
  const Var q = Var::parameter(Tensor::of({2, 2}, {0, 0, 1, 0}));
  const Var k = Var::parameter(Tensor::of({2, 2}, {0, 0, -1, 0}));
  const Attended a = attend_one(bare(), {q, k, k});
  const double e = std::exp(-1.0);
  EXPECT_TRUE(close(a.weights.values.value(),
                    Doubles{0.5, 0.5, 1 / (1 + e), e / (1 + e)}, 1e-6));
  a.context.backward(Tensor::full({2, 2}, 1));
  for (float x : q.grad().span()) EXPECT_TRUE(std::isfinite(x));
  for (float x : k.grad().span()) EXPECT_TRUE(std::isfinite(x));
}

TEST(CosineScore, RefusesWhatItCannotDo) {
  EXPECT_THROW(new_attention(bare({"beta=-1"}), {.query = 4}), Error);
  EXPECT_THROW(new_attention(bare({"beta=2", "learn-beta=true"}), {.query = 4}),
               Error);
  EXPECT_THROW(new_attention(bare(), {.query = 4, .key = 5}), Error);
}

}  // namespace
}  // namespace fovea
