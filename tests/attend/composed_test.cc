#include "fovea/attend/composed.h"

#include <numeric>

#include "fovea/attend/impose.h"
#include "fovea/attend/registry.h"
#include "fovea/autograd/reduce.h"
#include "fovea/base/check.h"
#include "support/compare.h"
#include "support/random.h"

namespace fovea {
namespace {

using namespace testing;  // NOLINT: the support library

Segments lengths(std::vector<int> of) { return Segments::from_lengths(of); }

std::string error_of(const ComposedConfig& config,
                     const AttentionSizes& sizes) {
  try {
    make_attention(config, sizes, RandomKey(1));
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::kUsage);
    return e.what();
  }
  return "no error";
}

// Self-attention of x, by the general path if weights are asked for.
Attended run_self(const Attention& attention, const Var& x, const Segments& of,
                  bool want_weights, const Pass& pass = {}) {
  const Memory memory = attention.remember({.keys = x, .of = of}, pass);
  return attention.attend({.rows = x, .of = of, .want_weights = want_weights},
                          memory, {}, pass);
}

TEST(Composed, FusedAndGeneralPathsAgree) {
  const Segments of = lengths({3, 0, 1, 17, 40});
  const Var x(random_tensor({of.total(), 24}, 1));
  for (const bool causal : {false, true}) {
    for (const char* position :
         {"none", "alibi", "rope", "sinusoidal", "learned"}) {
      for (const int kv_heads : {0, 1, 2}) {
        ComposedConfig config;
        config.heads = 4;
        config.kv_heads = kv_heads;
        config.position = position;
        config.causal = causal;
        config.temperature = 0.7f;
        const auto attention =
            make_attention(config, {.query = 24}, RandomKey(2));
        const Attended fused = run_self(*attention, x, of, false);
        const Attended general = run_self(*attention, x, of, true);
        EXPECT_FALSE(fused.weights.values);
        ASSERT_TRUE(general.weights.values);
        EXPECT_TRUE(close(fused.context.value().span(),
                          general.context.value().span(), 2e-5))
            << position << " causal " << causal << " kv " << kv_heads;
      }
    }
  }
}

TEST(Composed, FusedAndGeneralGradientsAgree) {
  const Segments of = lengths({3, 0, 1, 17});
  ComposedConfig config;
  config.heads = 4;
  config.kv_heads = 2;
  config.position = "alibi";
  config.causal = true;
  const auto attention = make_attention(config, {.query = 24}, RandomKey(2));
  const Tensor dy = random_tensor({of.total(), 24}, 3);
  std::vector<std::vector<Tensor>> grads(2);
  for (const bool general : {false, true}) {
    const Var x = Var::parameter(random_tensor({of.total(), 24}, 1));
    run_self(*attention, x, of, general).context.backward(dy);
    grads[general].push_back(x.grad());
    Params params(*attention);
    for (const auto& p : params.parameters()) {
      grads[general].push_back(p.value->grad().clone());
      p.value->clear_grad();
    }
  }
  ASSERT_EQ(grads[0].size(), 9u);
  for (size_t i = 0; i < grads[0].size(); ++i) {
    EXPECT_TRUE(
        close(grads[0][i].span(), grads[1][i].span(), kGradientTolerance, 0.1))
        << i;
  }
}

TEST(Composed, StepByStepEqualsAllAtOnce) {  // SPEC P8
  const Segments of = lengths({5, 2, 9});
  const Var x(random_tensor({of.total(), 12}, 1));
  for (const char* position : {"none", "alibi", "rope", "relative"}) {
    ComposedConfig config;
    config.heads = 3;
    config.causal = true;
    config.position = position;
    const auto attention = make_attention(config, {.query = 12}, RandomKey(2));
    const NoGrad no_grad;
    const Tensor all = attention->self(x, of, {}).context.value();
    Memory memory = attention->remember(
        {.keys = Var(Tensor({0, 12})), .of = lengths({0, 0, 0})}, {});
    for (int t = 0; t < 9; ++t) {
      std::vector<int> rows, counts;
      Tensor now({0, 12});
      std::vector<float> values;
      for (int b = 0; b < 3; ++b) {
        counts.push_back(t < of.length(b));
        if (t >= of.length(b)) continue;
        rows.push_back(of.begin(b) + t);
        const auto row = x.value().row_range(rows.back(), rows.back() + 1);
        values.insert(values.end(), row.span().begin(), row.span().end());
      }
      const Var step(
          Tensor::from({static_cast<int64_t>(rows.size()), 12}, values));
      const Segments one = lengths(counts);
      attention->extend(memory, {.keys = step, .of = one});
      const Tensor out =
          attention->attend({.rows = step, .of = one}, memory, {}, {})
              .context.value();
      for (size_t i = 0; i < rows.size(); ++i) {
        EXPECT_TRUE(close(out.row_range(i, i + 1).span(),
                          all.row_range(rows[i], rows[i] + 1).span(), 1e-5))
            << position << " step " << t;
      }
    }
    EXPECT_EQ(memory.rows[2].length, 9);
    EXPECT_GE(memory.rows[2].capacity, 9);
  }
}

// Nothing is projected: keys that are also values lie in memory once.
TEST(Composed, AMemoryOfKeysAloneTakesNewValues) {
  ComposedConfig config;
  config.project = config.value_proj = config.out_proj = false;
  const auto attention = make_attention(config, {.query = 4}, RandomKey(2));
  const Tensor keys = random_tensor({3, 4}, 1),
               values = random_tensor({3, 4}, 2);
  const Var query(random_tensor({1, 4}, 3));
  const Memory whole = attention->remember(
      {.keys = keys, .values = values, .of = lengths({3})}, {});
  Memory grown =
      attention->remember({.keys = Tensor({0, 4}), .of = lengths({0})}, {});
  for (int t = 0; t < 3; ++t) {
    attention->extend(grown, {.keys = keys.row_range(t, t + 1),
                              .values = values.row_range(t, t + 1),
                              .of = lengths({1})});
  }
  const auto attend = [&](const Memory& memory) {
    return attention
        ->attend({.rows = query, .of = lengths({1})}, memory, {}, {})
        .context.value();
  };
  EXPECT_TRUE(close(attend(grown).span(), attend(whole).span(), 1e-6));
}

TEST(Composed, BeamsShareOneMemory) {
  const Segments source = lengths({4, 6});
  ComposedConfig config;
  config.heads = 2;
  const auto attention = make_attention(config, {.query = 8}, RandomKey(2));
  const Memory memory = attention->remember(
      {.keys = Var(random_tensor({10, 8}, 1)), .of = source}, {});
  const Var queries(random_tensor({3, 8}, 2));
  const std::vector<int> of_memory{1, 0, 1};
  const Tensor shared =
      attention
          ->attend(
              {.rows = queries, .of = lengths({1, 1, 1}), .memory = of_memory},
              memory, {}, {})
          .context.value();
  const std::vector<int> second{1};
  const Tensor alone = attention
                           ->attend({.rows = queries.value().row_range(2, 3),
                                     .of = lengths({1}),
                                     .memory = second},
                                    memory, {}, {})
                           .context.value();
  EXPECT_TRUE(close(shared.row_range(2, 3).span(), alone.span(), 1e-6));
}

TEST(Composed, NamesBothOptionsThatDoNotGoTogether) {
  const AttentionSizes sizes{.query = 8};
  ComposedConfig c;
  c.heads = 3;
  EXPECT_EQ(error_of(c, sizes),
            "heads 3 and query width 8 do not go together: give head-size, or "
            "a width that the heads divide");
  c = {};
  c.heads = 4;
  c.kv_heads = 3;
  EXPECT_EQ(error_of(c, sizes),
            "heads 4 and kv-heads 3 do not go together: the first must be a "
            "multiple of the second");
  c = {};
  c.coverage = true;
  EXPECT_EQ(error_of(c, sizes),
            "coverage and score scaled_dot do not go together: only additive "
            "scores know it");
  c = {};
  c.project = false;
  EXPECT_EQ(error_of(c, {.query = 8, .key = 6}),
            "score scaled_dot and a query width of 8 with a key width of 6 do "
            "not go together: heads of queries and keys must have one size; "
            "use project, or score general");
}

TEST(Composed, TellsTheNearestNameAndOption) {
  const AttentionSizes sizes{.query = 8};
  ComposedConfig c;
  c.score = "scaled_dt";
  EXPECT_EQ(
      error_of(c, sizes).rfind(
          "no score is named 'scaled_dt' (did you mean 'scaled_dot'?)", 0),
      0u)
      << error_of(c, sizes);
  c = {};
  c.position = "rope";
  c.options = {"pairng=adjacent"};
  EXPECT_EQ(error_of(c, sizes),
            "no part of this attention has an option 'pairng' (did you mean "
            "'pairing'?); there are: pairing, rotary-dim, base");
  c.options = {"pairing=sideways"};
  EXPECT_EQ(error_of(c, sizes),
            "pairing: 'sideways' is not one of adjacent, half_split");
  c.options = {"pairing"};
  EXPECT_EQ(error_of(c, sizes),
            "'pairing' is no option of an attention: write name=value");
}

TEST(Composed, ExcludesEachTokenFromItself) {  // SPEC A13b
  ComposedConfig config;
  config.exclude_self = true;
  const auto attention = make_attention(config, {.query = 4}, RandomKey(1));
  const Segments of = lengths({6, 1});
  const Var x(random_tensor({7, 4}, 1));
  const Attended out = run_self(*attention, x, of, true);
  for (int i = 0; i < 6; ++i) {
    const float* row =
        out.weights.values.value().data() + out.weights.pairs.begin(i, 0);
    EXPECT_EQ(row[i], 0.0f);
    EXPECT_NEAR(std::accumulate(row, row + 6, 0.0f), 1.0f, 1e-6f);
  }
  // A token alone has nothing to look at.
  EXPECT_EQ(out.weights.values.value()[out.weights.pairs.begin(6, 0)], 0.0f);
}

TEST(Composed, AnEmptyRowIsZeroOrAnError) {
  ComposedConfig config;
  config.out_proj = false;
  const Segments queries = lengths({2}), none = lengths({0});
  for (const EmptyRow rule : {EmptyRow::kZeros, EmptyRow::kError}) {
    config.empty_row = rule;
    const auto attention = make_attention(config, {.query = 4}, RandomKey(1));
    const Memory memory =
        attention->remember({.keys = Var(Tensor({0, 4})), .of = none}, {});
    const Queries q{.rows = Var(random_tensor({2, 4}, 1)), .of = queries};
    if (rule == EmptyRow::kError) {
      EXPECT_THROW(attention->attend(q, memory, {}, {}), Error);
    } else {
      const Tensor out = attention->attend(q, memory, {}, {}).context.value();
      for (float value : out.span()) EXPECT_EQ(value, 0.0f);
    }
  }
}

TEST(Composed, OneHeadWithIdentityProjectionsIsScaledDot) {  // SPEC B9
  ComposedConfig config;
  config.bias = false;
  const auto projected = make_attention(config, {.query = 6}, RandomKey(1));
  Params params(*projected);
  for (const auto& p : params.parameters()) {
    for (int64_t i = 0; i < 36; ++i) p.value->value()[i] = i % 7 == 0;
  }
  config.project = config.value_proj = config.out_proj = false;
  const auto plain = make_attention(config, {.query = 6}, RandomKey(1));
  EXPECT_EQ(Params(*plain).count(), 0);
  const Segments of = lengths({4, 5});
  const Var x(random_tensor({9, 6}, 1));
  EXPECT_TRUE(close(projected->self(x, of, {}).context.value().span(),
                    plain->self(x, of, {}).context.value().span(), 1e-6));
}

TEST(Composed, HasAsManyParametersWhateverTheHeads) {  // SPEC B9
  for (const int heads : {1, 2, 8}) {
    ComposedConfig config;
    config.heads = heads;
    const auto attention = make_attention(config, {.query = 16}, RandomKey(1));
    EXPECT_EQ(Params(*attention).count(), 4 * 16 * 16 + 4 * 16);
  }
}

TEST(Composed, DropsWeightsInTrainingOnly) {
  ComposedConfig config;
  config.dropout = 0.5f;
  const auto attention = make_attention(config, {.query = 8}, RandomKey(1));
  const Segments of = lengths({20});
  const Var x(random_tensor({20, 8}, 1));
  const Tensor plain = attention->self(x, of, {}).context.value();
  const Pass training{.training = true, .key = RandomKey(5)};
  const Tensor dropped = attention->self(x, of, training).context.value();
  const Tensor again = attention->self(x, of, training).context.value();
  EXPECT_FALSE(same_bits(plain.span(), dropped.span()));
  EXPECT_TRUE(same_bits(again.span(), dropped.span()));
}

}  // namespace
}  // namespace fovea
