#include "fovea/attend/score_general.h"

#include <algorithm>

#include "fovea/base/check.h"
#include "support/compare.h"
#include "support/random.h"
#include "support/twin_attend.h"

namespace fovea {
namespace {

using namespace testing;  // NOLINT: the support library

// W is cut by rows: each head of the queries has its own.
double general(const TwinPair& pair) {
  const Doubles wk =
      twin_linear(pair.query.param("score.weight"), pair.key_row);
  const size_t size = pair.q().size();
  return twin_dot(pair.q(),
                  std::span(wk).subspan(pair.key_head() * size, size));
}

TEST(GeneralScore, EqualsItsTwin) {
  check_attend({.problem = {.config = {.score = "general"},
                            .sizes = {.query = 4, .key = 7, .value = 6}},
                .score = general});
}

TEST(GeneralScore, EqualsItsTwinWithHeadsThatShareKeys) {
  check_attend(
      {.problem = {.config = {.score = "general", .heads = 4, .kv_heads = 2},
                   .sizes = {.query = 8, .key = 3, .value = 6}},
       .score = general});
}

TEST(GeneralScore, GivesTheNumbersOfTheSpecification) {
  const auto attention = new_attention(bare_config("general"), {.query = 2});
  param(*attention, "score.weight") =
      Var::parameter(Tensor::of({2, 2}, {2, 0, 0, 1}));
  const AttendCase c{.sizes = {.query = 2}, .queries = {1}, .keys = {2}};
  const Tensor keys = Tensor::of({2, 2}, {1, 0, 0, 1});
  const Attended a = attend_once(
      *attention, c, {Tensor::of({1, 2}, {1, 1}), keys, keys}, true);
  const Doubles alpha = {0.7310586, 0.2689414};
  EXPECT_TRUE(close(a.weights.values.value(), alpha, 1e-6));
  EXPECT_TRUE(close(a.context.value(), alpha, 1e-6));
}

TEST(GeneralScore, IsTheDotProductIfWIsTheIdentity) {
  const AttendCase c;
  const auto general = new_attention(bare_config("general"), c.sizes);
  const auto dot = new_attention(bare_config("dot"), c.sizes);
  Tensor identity = Tensor::zeros({6, 6});
  for (int i = 0; i < 6; ++i) identity[i * 7] = 1;
  param(*general, "score.weight") = Var::parameter(identity);
  const AttendRows rows = random_rows(c);
  for (bool want : {false, true}) {
    EXPECT_TRUE(
        close(attend_once(*general, c, rows, want).context.value().span(),
              attend_once(*dot, c, rows, want).context.value().span(), 1e-6));
  }
}

// SPEC A4: W = W_Q^T W_K is what projections by W_Q and W_K give.
TEST(GeneralScore, IsTheDotProductOfProjectionsIfWIsTheirProduct) {
  AttendCase c;
  c.config = {.score = "dot",
              .head_size = 2,
              .value_proj = false,
              .out_proj = false,
              .bias = false};
  const auto dot = random_attention(c);
  const Tensor wq = param(*dot, "query.weight").value();  // [2,6]
  const Tensor wk = param(*dot, "key.weight").value();
  const Tensor w = Tensor::zeros({6, 6});
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 6; ++j) {
      for (int r = 0; r < 2; ++r) w[i * 6 + j] += wq[r * 6 + i] * wk[r * 6 + j];
    }
  }
  const auto general = new_attention(bare_config("general"), c.sizes);
  param(*general, "score.weight") = Var::parameter(w);
  const AttendRows rows = random_rows(c);
  EXPECT_TRUE(
      close(attend_once(*general, c, rows, false).context.value().span(),
            attend_once(*dot, c, rows, false).context.value().span(), 1e-5));
}

TEST(GeneralScore, StartsAsAsked) {
  const auto largest = [](const std::string& init) {
    ComposedConfig config = bare_config("general");
    config.options = {"init=" + init};
    const auto attention = new_attention(config, {.query = 8});
    float max = 0;
    for (float x : param(*attention, "score.weight").value().span()) {
      max = std::max(max, std::abs(x));
    }
    return max;
  };
  EXPECT_LE(largest("luong"), 0.1f);
  EXPECT_GT(largest("luong"), 0.09f);
  EXPECT_GT(largest("bahdanau"), 0.01f);
  EXPECT_LE(largest("bahdanau"), 0.05f);
  EXPECT_GT(largest("xavier"), 0.4f);
  EXPECT_LE(largest("xavier"), 0.6124f);  // sqrt(6 / 16)
}

TEST(GeneralScore, HasAsManyParametersAsW) {
  const auto attention =
      new_attention(bare_config("general"), {.query = 3, .key = 5, .value = 4});
  EXPECT_EQ(Params(*attention).count(), 15);
}

TEST(GeneralScore, NeedsAWidthThatTheHeadsDivide) {
  ComposedConfig config = bare_config("general");
  config.heads = 4;
  EXPECT_THROW(new_attention(config, {.query = 6, .value = 8}), Error);
}

}  // namespace
}  // namespace fovea
