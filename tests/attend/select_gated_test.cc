#include "fovea/attend/select_gated.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "fovea/attend/trace.h"
#include "fovea/autograd/elementwise.h"
#include "fovea/autograd/reduce.h"
#include "fovea/base/check.h"
#include "support/attend_case.h"
#include "support/check_op.h"
#include "support/compare.h"
#include "support/random.h"
#include "support/twin_attend.h"

namespace fovea {
namespace {

using namespace testing;  // NOLINT: the support library

Tensor column(const std::vector<float>& x) {
  Tensor y({static_cast<int64_t>(x.size()), 1});
  std::copy(x.begin(), x.end(), y.data());
  return y;
}

std::vector<Params::Parameter> parameters_of(Attention& attention) {
  return Params(attention).parameters();
}

// Queries, keys and gates' states of one number; the gate's logit is its state.
struct Small {
  std::unique_ptr<Attention> attention;
  Tensor keys, values, states;
  std::vector<int> lengths;

  Small(const std::vector<float>& k, const std::vector<float>& v,
        const std::vector<float>& gates, std::vector<std::string> options = {})
      : attention(make_attention({.score = "dot",
                                  .select = "gated",
                                  .project = false,
                                  .value_proj = false,
                                  .out_proj = false,
                                  .options = std::move(options)},
                                 {.query = 1, .extra = 1}, RandomKey{1})),
        keys(column(k)),
        values(column(v)),
        states(column(gates)),
        lengths{static_cast<int>(k.size())} {
    for (const auto& p : parameters_of(*attention)) {
      p.value->value()[0] = p.name == "select.gate.weight" ? 1.0f : 0.0f;
    }
  }

  Memory remember(const Pass& pass = {}) const {
    return attention->remember({.keys = keys,
                                .values = values,
                                .extra = states,
                                .of = Segments::from_lengths(lengths)},
                               pass);
  }
  // One query of 1 for each sequence.
  Attended attend(const Pass& pass = {}, bool want_weights = false) const {
    const std::vector<int> ones(lengths.size(), 1);
    return attention->attend(
        {.rows = column(std::vector<float>(lengths.size(), 1.0f)),
         .of = Segments::from_lengths(ones),
         .want_weights = want_weights},
        remember(pass), {}, pass);
  }
};

// SPEC B10.
TEST(Gated, HasTheNumbersOfTheSpecification) {
  const Small small({1, 2, 3}, {1, 10, 100}, {5, -5, 5});
  const Memory memory = small.remember();
  EXPECT_EQ(memory.rows[0].length, 2);
  EXPECT_EQ(memory.kept, (std::vector<int>{0, 2}));
  EXPECT_NEAR(gate_density(memory), 2.0 / 3, 1e-12);
  EXPECT_NEAR(small.attend().context.value()[0],
              0.1192029 * 1 + 0.8807971 * 100, 1e-4);
  Trace trace({{.layer = ""}});
  Pass pass;
  pass.trace = &trace;
  small.attend(pass);
  const Record& record = trace.records().at(0);
  EXPECT_TRUE(
      close(record.weights(0, 0), Doubles{0.1192029, 0, 0.8807971}, 1e-6));
}

// SPEC E11.
TEST(Gated, TellsHowLikelyEachGateIsOpen) {
  const Small small({1, 2, 3}, {1, 2, 3}, {0.5f, -2, 0});
  Trace trace({{.layer = "cross.gate"}});
  Pass pass;
  pass.trace = &trace;
  small.remember(pass.in("cross"));
  ASSERT_EQ(trace.records().size(), 1u);
  EXPECT_EQ(trace.records().front().about().kind, "gate");
  const Tensor p = trace.records().front().weights(0, 0);
  EXPECT_NEAR(p[0], 0.622459f, 1e-5);
  EXPECT_NEAR(p[1], 0.119203f, 1e-5);
  EXPECT_NEAR(p[2], 0.5f, 1e-6);
}

TEST(Gated, CloseGatesCostNoKeys) {
  const Small small({1, 2, 3}, {1, 10, 100}, {5, -5, 5});
  EXPECT_EQ(small.attend({}, true).weights.pairs.row(0).keys, 2);
}

TEST(Gated, AllClosedGivesTheMeanOfTheValues) {
  const Small small({1, 2, 3}, {1, 10, 100}, {-5, -5, -5});
  EXPECT_NEAR(small.attend().context.value()[0], 37, 1e-4);
  EXPECT_NEAR(small.attend({}, true).context.value()[0], 37, 1e-4);
  EXPECT_EQ(gate_density(small.remember()), 0);
  Trace trace({{.layer = ""}});
  Pass pass;
  pass.trace = &trace;
  small.attend(pass);
  EXPECT_TRUE(
      close(trace.records().at(0).weights(0, 0), Doubles(3, 1.0 / 3), 1e-6));
}

TEST(Gated, AllClosedInTrainingGivesTheMeanToo) {
  const Small small({1, 2, 3}, {1, 10, 100}, {-50, -50, -50});
  const Pass training{.training = true, .key = RandomKey{5}};
  EXPECT_NEAR(small.attend(training).context.value()[0], 37, 1e-3);
}

TEST(Gated, AllClosedMayGiveAnEmptyRow) {
  const Small small({1, 2, 3}, {1, 10, 100}, {-5, -5, -5},
                    {"all-closed=empty"});
  EXPECT_EQ(small.attend().context.value()[0], 0.0f);
  EXPECT_EQ(small.remember().rows[0].length, 0);
}

TEST(Gated, TakesSequencesOfEveryKind) {
  Small small({1, 2, 3, 4, 5, 6}, {1, 2, 3, 4, 5, 6}, {5, -5, -5, -5, 5, 5});
  small.lengths = {1, 0, 3, 2};
  const Tensor context = small.attend().context.value();
  EXPECT_NEAR(context[0], 1, 1e-6);
  EXPECT_EQ(context[1], 0.0f);
  EXPECT_NEAR(context[2], 3, 1e-6);  // closed: the mean of 2, 3 and 4
  EXPECT_NEAR(context[3], (5 + std::exp(1.0) * 6) / (1 + std::exp(1.0)), 1e-5);
}

AttendCase gated_case(std::vector<std::string> options = {}) {
  return {
      .config = {.select = "gated", .heads = 2, .options = std::move(options)}};
}

Attended run(const Attention& attention, const AttendCase& c, const Pass& pass,
             bool want_weights = false) {
  const AttendRows rows = random_rows(c);
  const Memory memory = attention.remember(
      {.keys = rows.keys, .values = rows.values, .of = c.key_segments()}, pass);
  return attention.attend({.rows = rows.queries,
                           .of = c.query_segments(),
                           .want_weights = want_weights},
                          memory, {}, pass);
}

// Sets U to this bias alone.
void set_gate(Attention& attention, float bias) {
  for (const auto& p : parameters_of(attention)) {
    if (p.name == "select.gate.weight") p.value->value().fill(0);
    if (p.name == "select.gate.bias") p.value->value().fill(bias);
  }
}

TEST(Gated, OpenGatesEqualSoftAttention) {
  const AttendCase c = gated_case();
  AttendCase soft = c;
  soft.config.select = "soft";
  const auto gated = random_attention(c);
  const auto plain = random_attention(soft);
  const auto parameters = parameters_of(*gated);
  for (const auto& theirs : parameters_of(*plain)) {
    for (const auto& ours : parameters) {
      if (ours.name == theirs.name) *theirs.value = *ours.value;
    }
  }
  set_gate(*gated, 20);
  for (bool training : {false, true}) {
    const Pass pass{.training = training, .key = RandomKey{3}};
    EXPECT_TRUE(close(run(*gated, c, pass).context.value().span(),
                      run(*plain, soft, pass).context.value().span(), 1e-5));
  }
}

TEST(Gated, FusedAndGeneralPathsAgree) {
  const AttendCase c = gated_case();
  const auto attention = random_attention(c);
  EXPECT_TRUE(close(run(*attention, c, {}).context.value().span(),
                    run(*attention, c, {}, true).context.value().span(), 1e-5));
}

// The same draws open the same gates, softly or not.
TEST(Gated, RelaxedGatesBecomeHardAsTauFalls) {
  // One sequence whose gates are not all closed: softly they never are.
  AttendCase c = gated_case({"tau=0.0001", "gates=sample"});
  c.queries = {2};
  c.keys = {12};
  const auto attention = random_attention(c);
  const AttendRows rows = random_rows(c);
  for (uint64_t seed = 0; seed < 5; ++seed) {
    Pass pass{.training = false, .key = RandomKey{seed}};
    const double density = gate_density(attention->remember(
        {.keys = rows.keys, .values = rows.values, .of = c.key_segments()},
        pass));
    EXPECT_GT(density, 0);
    EXPECT_LT(density, 1);
    const Tensor hard = run(*attention, c, pass).context.value();
    pass.training = true;
    EXPECT_TRUE(close(run(*attention, c, pass).context.value().span(),
                      hard.span(), 1e-5));
  }
}

// The logit of a relaxed gate with the noise of `key`, for tau = 0.7.
double relaxed_logit(const NamedDoubles& params, std::span<const double> state,
                     RandomKey key, int row) {
  const double u = random_uniform(key.with("gates"), row);
  return (twin_dot(params.at("select.gate.weight"), state) +
          params.at("select.gate.bias")[0] + std::log(u / (1 - u))) /
         0.7;
}

TEST(Gated, RelaxedGatesEqualTheTwin) {
  AttendCase c = gated_case({"tau=0.7"});
  c.config.score = "dot";
  c.config.project = false;  // so that the twin sees the gates' states
  c.queries = {3};           // one sequence: keys are numbered as its rows
  c.keys = {7};
  c.training = true;
  c.key = RandomKey{11};
  check_attend({.problem = c, .score = [&](const TwinPair& pair) {
                  const double x = relaxed_logit(pair.query.params,
                                                 pair.key_row, c.key, pair.key);
                  return twin_dot(pair.q(), pair.k()) -
                         std::log1p(std::exp(-x));
                }});
}

TEST(Gated, PricesTheMeanOfTheRelaxedGatesOfASequence) {
  AttendCase c = gated_case({"tau=0.7"});
  const auto attention = random_attention(c);
  const auto all = parameters_of(*attention);
  const auto is_gate = [](const Params::Parameter& p) {
    return p.name == "select.gate.weight";
  };
  Var& weight = *std::ranges::find_if(all, is_gate)->value;
  set_gate(*attention, 0.3f);
  Pass pass{.training = true, .key = RandomKey{11}};
  check_op(
      [&](const std::vector<Var>& in) {
        weight = in[0];
        std::vector<Loss> losses;
        pass.losses = &losses;
        attention->remember({.keys = in[1], .of = c.key_segments()}, pass);
        EXPECT_EQ(losses.at(0).name, "gate_sparsity");
        return losses[0].value;
      },
      [&](const std::vector<Doubles>& in) {
        const NamedDoubles params{{"select.gate.weight", in[0]},
                                  {"select.gate.bias", {0.3f}}};
        double total = 0;
        int row = 0;
        for (int length : c.keys) {
          for (int i = 0; i < length; ++i, ++row) {
            const auto state = std::span(in[1]).subspan(row * 6, 6);
            const double x = relaxed_logit(params, state, pass.key, row);
            total += 1 / (1 + std::exp(-x)) / length;
          }
        }
        return Doubles{total};
      },
      {random_tensor({1, 6}, 3), c.key_rows()});
}

// The share of open gates after some steps on a task that wants the third of
// four values, where gates cost lambda.
double density_after_training(float lambda) {
  const auto attention = make_attention({.score = "dot",
                                         .select = "gated",
                                         .project = false,
                                         .value_proj = false,
                                         .out_proj = false},
                                        {.query = 1, .extra = 4}, RandomKey{1});
  Tensor states = Tensor::zeros({4, 4});
  for (int i = 0; i < 4; ++i) states[5 * i] = 1;
  const Segments four = Segments::from_lengths(std::vector{4});
  const Segments one = Segments::from_lengths(std::vector{1});
  const Source source{column({0, 0, 0, 0}), column({0, 0, 1, 0}), states, four};
  for (int step = 0; step < 400; ++step) {
    std::vector<Loss> losses;
    Pass pass{.training = true, .key = RandomKey{1}.with(uint64_t(step))};
    pass.losses = &losses;
    const Memory memory = attention->remember(source, pass);
    const Var miss = shift(
        attention->attend({.rows = column({1}), .of = one}, memory, {}, pass)
            .context,
        -1.0f);
    (sum(miss * miss) + scale(losses.at(0).value, lambda)).backward();
    for (const auto& p : parameters_of(*attention)) {
      const Tensor grad = p.value->grad(), value = p.value->value();
      for (int64_t i = 0; i < value.size(); ++i) value[i] -= 0.5f * grad[i];
      p.value->clear_grad();
    }
  }
  return gate_density(attention->remember(source, {}));
}

TEST(Gated, AHighPriceClosesTheGates) {
  EXPECT_EQ(density_after_training(0.0f), 0.25);  // what the task needs
  EXPECT_EQ(density_after_training(20.0f), 0);
}

TEST(Gated, RefusesWhatNeedsThePositionsOfKeys) {
  for (const ComposedConfig& config :
       {ComposedConfig{.select = "gated", .causal = true},
        ComposedConfig{.select = "gated", .exclude_self = true},
        ComposedConfig{.position = "alibi"}}) {
    ComposedConfig gated = config;
    gated.select = "gated";
    EXPECT_THROW(make_attention(gated, {.query = 4}, RandomKey{1}), Error);
  }
  const auto attention = random_attention(gated_case());
  Memory memory;
  EXPECT_THROW(attention->extend(memory, {.keys = Tensor({0, 6}), .of = {}}),
               Error);
}

}  // namespace
}  // namespace fovea
