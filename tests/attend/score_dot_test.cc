#include "fovea/attend/score_dot.h"

#include <cmath>

#include "fovea/base/check.h"
#include "support/compare.h"
#include "support/twin_attend.h"

namespace fovea {
namespace {

using namespace testing;  // NOLINT: the support library

double scaled_dot(const TwinPair& pair) {
  return twin_dot(pair.q(), pair.k()) /
         std::sqrt(static_cast<double>(pair.q().size()));
}

TEST(DotScore, EqualsItsTwin) {
  check_attend({.problem = {.config = {.score = "dot"}},
                .score = [](const TwinPair& pair) {
                  return twin_dot(pair.q(), pair.k());
                }});
}

TEST(ScaledDotScore, EqualsItsTwin) {
  check_attend({.problem = {}, .score = scaled_dot});
}

TEST(ScaledDotScore, EqualsItsTwinWithHeadsThatShareKeys) {
  check_attend({.problem = {.config = {.heads = 4,
                                       .kv_heads = 2,
                                       .head_size = 3,
                                       .temperature = 2.0f},
                            .sizes = {.query = 5, .key = 4, .value = 7}},
                .score = scaled_dot});
}

TEST(ScaledDotScore, EqualsItsTwinWhereItIsCausalAndLeavesOutItself) {
  check_attend({.problem = {.config = {.causal = true}}, .score = scaled_dot});
  check_attend(
      {.problem = {.config = {.exclude_self = true}}, .score = scaled_dot});
  check_attend({.problem = {.config = {.causal = true, .exclude_self = true}},
                .score = scaled_dot});
}

TEST(ScaledDotScore, IsTheDotProductOfInputsDividedByTheFourthRoot) {
  const AttendCase c;
  const AttendRows rows = random_rows(c);
  const auto divided = [](const Tensor& x) {
    const Tensor y = x.clone();
    for (float& v : y.span()) v /= std::pow(6.0f, 0.25f);
    return y;
  };
  const Attended a = attend_once(
      *new_attention(bare_config("scaled_dot"), c.sizes), c, rows, true);
  const Attended b = attend_once(
      *new_attention(bare_config("dot"), c.sizes), c,
      {divided(rows.queries.value()), divided(rows.keys.value()), rows.values},
      true);
  EXPECT_TRUE(close(a.weights.values.value().span(),
                    b.weights.values.value().span(), 1e-5));
}

// SPEC A11: scores 112 and 96 of keys of size 64.
TEST(ScaledDotScore, GivesTheWorkedExampleOfTheSpecification) {
  Tensor q = Tensor::zeros({1, 64}), k = Tensor::zeros({2, 64});
  q[0] = 16;
  k[0] = 7;
  k[64] = 6;
  const auto weights = [&](const char* score) {
    return attend_one(bare_config(score), {q, k, k}).weights.values.value();
  };
  EXPECT_TRUE(
      close(weights("scaled_dot"), Doubles{0.8807970780, 0.1192029220}, 1e-6));
  const Tensor unscaled = weights("dot");
  EXPECT_NEAR(unscaled[0], 0.99999988746, 1e-7);
  EXPECT_NEAR(unscaled[1], 1.1253e-7, 1e-11);
}

// SPEC A13, with tokens as columns: Q = W_Q X and so on. The weights that
// belong to an output are a column of softmax_columns(K^T Q / sqrt(p)).
struct Columns {
  int n, d, p;
  Doubles q, k, v;  // [p, n]

  Columns(Attention& attention, const Tensor& x)
      : n(static_cast<int>(x.dim(0))), d(static_cast<int>(x.dim(1))), p(2) {
    q = product(param(attention, "query.weight").value(), x);
    k = product(param(attention, "key.weight").value(), x);
    v = product(param(attention, "value.weight").value(), x);
  }
  Doubles product(const Tensor& w, const Tensor& x) const {
    Doubles y(static_cast<size_t>(p) * n, 0.0);
    for (int r = 0; r < p; ++r) {
      for (int t = 0; t < n; ++t) {
        for (int i = 0; i < d; ++i) {
          y[r * n + t] += double{w[r * d + i]} * x[t * d + i];
        }
      }
    }
    return y;
  }
  // a^T b / sqrt(p), with the softmax down each column.
  Doubles weights(const Doubles& a, const Doubles& b) const {
    Doubles s(static_cast<size_t>(n) * n, 0.0);
    for (int j = 0; j < n; ++j) {
      Doubles column(n, 0.0);
      for (int i = 0; i < n; ++i) {
        for (int r = 0; r < p; ++r) column[i] += a[r * n + i] * b[r * n + j];
        column[i] /= std::sqrt(p);
      }
      column = twin_softmax_row(column);
      for (int i = 0; i < n; ++i) s[i * n + j] = column[i];
    }
    return s;
  }
  // V s, as rows of tokens again.
  Doubles outputs(const Doubles& s) const {
    Doubles z(static_cast<size_t>(n) * p, 0.0);
    for (int t = 0; t < n; ++t) {
      for (int r = 0; r < p; ++r) {
        for (int i = 0; i < n; ++i) z[t * p + r] += v[r * n + i] * s[i * n + t];
      }
    }
    return z;
  }
};

TEST(ScaledDotScore, IsTheSameForTokensAsRowsAndAsColumns) {
  const ComposedConfig config{.head_size = 2, .out_proj = false, .bias = false};
  const AttendCase c{.config = config,
                     .sizes = {.query = 3, .key = 3, .value = 3},
                     .queries = {5},
                     .keys = {5}};
  const auto attention = random_attention(c);
  const Tensor x = c.key_rows();
  const Columns columns(*attention, x);
  const Attended a = attend_once(*attention, c, {x, x, x}, true);
  EXPECT_TRUE(close(a.context.value(),
                    columns.outputs(columns.weights(columns.k, columns.q)),
                    1e-5));
  // Q^T K, as printed on a slide, exchanges queries and keys.
  EXPECT_FALSE(close(a.context.value(),
                     columns.outputs(columns.weights(columns.q, columns.k)),
                     1e-2));
}

// SPEC A14: values are the rows themselves; and sigma read as the logistic.
TEST(ScaledDotScore, CanLeaveOutTheProjectionOfValues) {
  AttendCase c{.config = {.value_proj = false, .out_proj = false}};
  for (const char* normaliser : {"softmax", "sigmoid"}) {
    c.config.normaliser = normaliser;
    const bool softmax = c.config.normaliser == "softmax";
    TwinAttend twin{.problem = c, .score = scaled_dot};
    twin.normalise = [=](const Doubles& e) {
      if (softmax) return twin_softmax_row(e);
      Doubles w;
      for (double x : e) w.push_back(1 / (1 + std::exp(-x)));
      return w;
    };
    check_attend(twin);
  }
}

}  // namespace
}  // namespace fovea
