#include "fovea/attend/score_concat.h"

#include <cmath>

#include "fovea/base/check.h"
#include "support/compare.h"
#include "support/random.h"
#include "support/twin_attend.h"

namespace fovea {
namespace {

using namespace testing;  // NOLINT: the support library

double concat(const TwinPair& pair) {
  Doubles joined(pair.query.raw.begin(), pair.query.raw.end());
  joined.insert(joined.end(), pair.key_row.begin(), pair.key_row.end());
  const Doubles x = twin_linear(pair.query.param("score.weight"), joined);
  const Doubles& v = pair.query.param("score.v");
  const size_t size = v.size() / pair.heads;
  double sum = 0;
  for (size_t i = pair.head * size; i < (pair.head + 1) * size; ++i) {
    sum += v[i] * std::tanh(x[i]);
  }
  return sum;
}

double identity_source(const TwinPair& pair) {
  const Doubles x =
      twin_linear(pair.query.param("score.query.weight"), pair.query.raw);
  const Doubles& v = pair.query.param("score.v");
  const size_t size = pair.k().size();
  double sum = 0;
  for (size_t i = 0; i < size; ++i) {
    const size_t at = pair.head * size + i;
    sum += v[at] * std::tanh(x[at] + pair.k()[i]);
  }
  return sum;
}

TEST(ConcatScore, EqualsItsTwin) {
  for (int heads : {1, 2}) {
    check_attend({.problem = {.config = {.score = "concat",
                                         .heads = heads,
                                         .options = {"hidden=5"}},
                              .sizes = {.query = 4, .key = 7, .value = 6}},
                  .score = concat});
  }
}

TEST(ConcatIdentitySourceScore, EqualsItsTwin) {
  check_attend({.problem = {.config = {.score = "concat_identity_source"},
                            .sizes = {.query = 4, .key = 7, .value = 6}},
                .score = identity_source});
  check_attend({.problem = {.config = {.score = "concat_identity_source",
                                       .heads = 4,
                                       .kv_heads = 2},
                            .sizes = {.query = 4, .key = 6, .value = 6}},
                .score = identity_source});
}

// SPEC A6: W = [W_q | W_k] is the additive score, gradients included.
TEST(ConcatScore, IsTheAdditiveScoreOfItsTwoHalves) {
  AttendCase c{
      .config = {.score = "concat", .options = {"hidden=5", "tanh-bias=true"}},
      .sizes = {.query = 4, .key = 3, .value = 6}};
  const auto one = random_attention(c);
  c.config.score = "additive";
  const auto two = random_attention(c);
  for (const char* name :
       {"score.v", "value.weight", "value.bias", "out.weight", "out.bias"}) {
    param(*two, name) = Var::parameter(param(*one, name).value().clone());
  }
  param(*two, "score.query.bias") =
      Var::parameter(param(*one, "score.bias").value().clone());
  const Tensor w = param(*one, "score.weight").value();
  Tensor wq({5, 4}), wk({5, 3});
  const auto each = [](const auto& fn) {
    for (int i = 0; i < 5; ++i) {
      for (int j = 0; j < 7; ++j)
        fn(i * 7 + j, j < 4, i * (j < 4 ? 4 : 3) + (j < 4 ? j : j - 4));
    }
  };
  each([&](int at, bool query, int half) { (query ? wq : wk)[half] = w[at]; });
  param(*two, "score.query.weight") = Var::parameter(wq);
  param(*two, "score.key.weight") = Var::parameter(wk);
  const AttendRows a = random_rows(c), b = random_rows(c);
  const Attended x = attend_once(*one, c, a, true);
  const Attended y = attend_once(*two, c, b, true);
  constexpr double kEqual = 1e-6;  // float32
  EXPECT_TRUE(close(x.weights.values.value().span(),
                    y.weights.values.value().span(), kEqual));
  EXPECT_TRUE(
      close(x.context.value().span(), y.context.value().span(), kEqual));

  const Tensor seed = random_tensor(x.context.shape(), 9);
  x.context.backward(seed);
  y.context.backward(seed);
  const auto same = [](const Var& u, const Var& v) {
    EXPECT_TRUE(close(u.grad().span(), v.grad().span(), 1e-5));
  };
  same(a.queries, b.queries);
  same(a.keys, b.keys);
  same(a.values, b.values);
  same(param(*one, "score.v"), param(*two, "score.v"));
  same(param(*one, "score.bias"), param(*two, "score.query.bias"));
  const Tensor dw = param(*one, "score.weight").grad();
  Tensor dq({5, 4}), dk({5, 3});
  each([&](int at, bool query, int half) { (query ? dq : dk)[half] = dw[at]; });
  EXPECT_TRUE(
      close(dq.span(), param(*two, "score.query.weight").grad().span(), 1e-5));
  EXPECT_TRUE(
      close(dk.span(), param(*two, "score.key.weight").grad().span(), 1e-5));
}

TEST(ConcatScore, GivesTheSameFromPackedHalves) {
  const AttendCase c{.config = {.score = "concat"}};
  const auto attention = random_attention(c);
  const AttendRows rows = random_rows(c);
  const Tensor before = attend_once(*attention, c, rows, false).context.value();
  const NoGrad no_grad;
  Params(*attention).prepare(Precision::kFloat32);
  const Tensor after = attend_once(*attention, c, rows, false).context.value();
  EXPECT_TRUE(close(after.span(), before.span(), 1e-5));
}

TEST(ConcatScore, RefusesSharedKeys) {
  ComposedConfig config = bare_config("concat");
  config.heads = 4;
  config.kv_heads = 2;
  EXPECT_THROW(new_attention(config, {.query = 8}), Error);
  config.score = "concat_identity_source";
  EXPECT_THROW(new_attention(config, {.query = 8, .key = 7, .value = 8}),
               Error);
}

}  // namespace
}  // namespace fovea
