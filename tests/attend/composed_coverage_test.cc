#include <algorithm>
#include <cmath>

#include "fovea/attend/impose.h"
#include "fovea/attend/trace.h"
#include "fovea/autograd/elementwise.h"
#include "fovea/autograd/gather.h"
#include "fovea/autograd/reduce.h"
#include "fovea/base/check.h"
#include "support/attend_case.h"
#include "support/check_layer.h"
#include "support/compare.h"
#include "support/random.h"
#include "support/twin_softmax.h"

// SPEC B16.
namespace fovea {
namespace {

using testing::AttendCase;
using testing::AttendRows;
using testing::close;
using testing::Doubles;

AttendCase covered(int heads = 1) {
  AttendCase c;
  c.config = testing::bare_config("additive");
  c.config.heads = heads;
  c.config.coverage = true;
  return c;
}

Var column(const Var& x) { return reshape(x, {x.value().size(), 1}); }

// Context, loss and coverage of all steps in one column.
Var all_results(const Attention& attention, const AttendCase& c,
                const AttendRows& rows) {
  std::vector<Loss> losses;
  Pass pass;
  pass.losses = &losses;
  const Memory memory = attention.remember(
      {.keys = rows.keys, .values = rows.values, .of = c.key_segments()}, pass);
  const Attended out = attention.attend(
      {.rows = rows.queries, .of = c.query_segments()}, memory, {}, pass);
  Var loss = Tensor::zeros({1, 1});
  for (const Loss& one : losses) {
    EXPECT_EQ(one.name, "coverage");
    loss = loss + column(one.value);
  }
  return concat_rows({column(out.context), loss});
}

// Inputs: queries, keys, values, W_q, W_k, v, w.
struct TwinCoverage {
  AttendCase c;
  int heads;

  Doubles operator()(const std::vector<Doubles>& in) const {
    const int d = 6, size = d / heads;
    Doubles out;
    double loss = 0;
    int query = 0, key = 0;
    for (size_t b = 0; b < c.queries.size(); ++b) {
      const int keys = c.keys[b];
      Doubles coverage(heads * keys, 0.0);
      for (int t = 0; t < c.queries[b]; ++t, ++query) {
        Doubles context(d, 0.0);
        for (int h = 0; h < heads; ++h) {
          Doubles scores;
          for (int j = 0; j < keys; ++j) {
            scores.push_back(
                score(in, h, size, query, key + j, coverage[h * keys + j]));
          }
          const Doubles alpha = testing::twin_softmax(scores, {keys});
          for (int j = 0; j < keys; ++j) {
            for (int k = h * size; k < (h + 1) * size; ++k) {
              context[k] += alpha[j] * in[2][(key + j) * d + k];
            }
            loss += std::min(alpha[j], coverage[h * keys + j]);
            coverage[h * keys + j] += alpha[j];
          }
        }
        out.insert(out.end(), context.begin(), context.end());
      }
      key += keys;
    }
    out.push_back(loss);
    return out;
  }

  double score(const std::vector<Doubles>& in, int h, int size, int query,
               int key, double coverage) const {
    double sum = 0;
    for (int a = h * size; a < (h + 1) * size; ++a) {
      double x = in[6][a] * coverage;
      for (int k = 0; k < 6; ++k) {
        x += in[3][a * 6 + k] * in[0][query * 6 + k] +
             in[4][a * 6 + k] * in[1][key * 6 + k];
      }
      sum += in[5][a] * std::tanh(x);
    }
    return sum;
  }
};

TEST(Coverage, MatchesTheTwinWithTheGradientsOfAllSteps) {
  for (int heads : {1, 2}) {
    const AttendCase c = covered(heads);
    const auto attention = testing::random_attention(c);
    testing::check_layer(
        Params(*attention),
        [&](const auto& in) {
          return all_results(*attention, c, {in[0], in[1], in[2]});
        },
        TwinCoverage{c, heads}, {c.query_rows(), c.key_rows(), c.value_rows()},
        2e-5);
  }
}

// Whenever a sequence ends, and if it has no row at all.
TEST(Coverage, IsTheSumOfTheWeightsOfEverySequence) {
  const AttendCase c = covered(2);
  const auto attention = testing::random_attention(c);
  const Attended out =
      attend_once(*attention, c, testing::random_rows(c), true);
  const Pairs& pairs = out.weights.pairs;
  const Segments of = c.query_segments();
  ASSERT_EQ(out.carry.of.count(), of.count());
  for (int b = 0; b < of.count(); ++b) {
    ASSERT_EQ(out.carry.of.length(b), 2 * c.keys[b]);
    for (int i = 0; i < 2 * c.keys[b]; ++i) {
      double sum = 0;
      for (int m = of.begin(b); m < of.end(b); ++m) {
        sum += out.weights.values.value()[pairs.begin(m, 0) + i];
      }
      EXPECT_NEAR(out.carry.values.value()[out.carry.of.begin(b) + i], sum,
                  1e-6)
          << "sequence " << b;
    }
  }
}

// Some sequences of `rows`, from row `begin` of each on.
Queries some_rows(const AttendCase& c, const AttendRows& rows,
                  const std::vector<int>& begin,
                  const std::vector<int>& counts) {
  std::vector<int> at;
  for (size_t b = 0; b < counts.size(); ++b) {
    const int first = c.query_segments().begin(static_cast<int>(b)) + begin[b];
    for (int i = 0; i < counts[b]; ++i) at.push_back(first + i);
  }
  return {.rows = gather(rows.queries, at),
          .of = Segments::from_lengths(counts)};
}

TEST(Coverage, GoesOnWhereEachSequenceStopped) {
  AttendCase c = covered(2);
  c.queries = {3, 3, 1};
  c.keys = {4, 2, 3};
  const auto attention = testing::random_attention(c);
  const AttendRows rows = testing::random_rows(c);
  const Attended whole = attend_once(*attention, c, rows, false);
  const Memory memory = attention->remember(
      {.keys = rows.keys, .values = rows.values, .of = c.key_segments()}, {});
  const Attended first = attention->attend(
      some_rows(c, rows, {0, 0, 0}, {3, 1, 0}), memory, {}, {});
  const Attended second = attention->attend(
      some_rows(c, rows, {3, 1, 0}, {0, 2, 1}), memory, first.carry, {});
  const Var all = gather(concat_rows({first.context, second.context}),
                         std::vector<int>{0, 1, 2, 3, 4, 5, 6});
  EXPECT_TRUE(
      close(all.value(), testing::to_double(whole.context.value()), 1e-6));
  EXPECT_TRUE(close(second.carry.values.value(),
                    testing::to_double(whole.carry.values.value()), 1e-6));
  all.backward(testing::random_tensor({7, 6}, 5));
  EXPECT_TRUE(rows.keys.grad());
}

TEST(Coverage, EachStepDropsOtherWeights) {
  AttendCase c = covered();
  c.config.dropout = 0.5f;
  c.queries = {2};
  c.keys = {16};
  c.training = true;
  const auto attention = testing::random_attention(c);
  testing::param(*attention, "score.coverage").value().fill(0);
  AttendRows rows = testing::random_rows(c);
  rows.queries = Tensor::full({2, 6}, 0.3f);
  const Tensor y = attend_once(*attention, c, rows, false).context.value();
  EXPECT_FALSE(
      close(y.row_range(0, 1), testing::to_double(y.row_range(1, 2)), 1e-3));
}

// Two steps with weights (.5, .5) and (.9, .1): min(.9, .5) + min(.1, .5).
TEST(Coverage, LosesWhatAKeyGetsAgain) {
  AttendCase c = covered();
  c.queries = {2};
  c.keys = {2};
  const auto attention = testing::random_attention(c);
  int step = 0;
  Impose impose;
  impose.weights("read", [&](const Var&, const Pairs&) -> Var {
    return step++ == 0 ? Tensor::of({2}, {0.5f, 0.5f})
                       : Tensor::of({2}, {0.9f, 0.1f});
  });
  std::vector<Loss> losses;
  Pass pass;
  pass.impose = &impose;
  pass.losses = &losses;
  const Memory memory =
      attention->remember({.keys = c.key_rows(), .of = c.key_segments()}, pass);
  const Attended out =
      attention->attend({.rows = c.query_rows(), .of = c.query_segments()},
                        memory, {}, pass.in("read"));
  ASSERT_EQ(losses.size(), 2u);
  EXPECT_NEAR(losses[0].value.value().item(), 0.0, 1e-7);
  EXPECT_NEAR(losses[1].value.value().item(), 0.6, 1e-6);
  EXPECT_TRUE(close(out.carry.values.value(), Doubles{1.4, 0.6}, 1e-6));
}

// One call for each step, the carry handed on.
Attended step_by_step(const Attention& attention, const AttendCase& c,
                      const AttendRows& rows, std::vector<Var>& contexts) {
  const Memory memory = attention.remember(
      {.keys = rows.keys, .values = rows.values, .of = c.key_segments()}, {});
  const std::vector<int> ones(c.queries.size(), 1);
  Attended out;
  for (int t = 0; t < c.queries[0]; ++t) {
    std::vector<int> at, positions(c.queries.size(), t);
    for (size_t b = 0; b < c.queries.size(); ++b) {
      at.push_back(c.query_segments().begin(static_cast<int>(b)) + t);
    }
    out = attention.attend({.rows = gather(rows.queries, at),
                            .of = Segments::from_lengths(ones),
                            .position = positions},
                           memory, out.carry, {});
    contexts.push_back(out.context);
  }
  return out;
}

// Step t of sequence b is row t * B + b of the steps.
std::vector<int> order_of_steps(const AttendCase& c) {
  std::vector<int> order;
  const int count = static_cast<int>(c.queries.size());
  for (int b = 0; b < count; ++b) {
    for (int t = 0; t < c.queries[b]; ++t) order.push_back(t * count + b);
  }
  return order;
}

TEST(Coverage, AllStepsAtOnceEqualStepByStepWithTheirGradients) {
  AttendCase c = covered(2);
  c.queries = {3, 3, 3};
  c.keys = {4, 1, 0};
  const auto attention = testing::random_attention(c);
  const Params params(*attention);
  const AttendRows rows = testing::random_rows(c);
  const Tensor dy = testing::random_tensor({9, 6}, 5);

  const Attended whole = attend_once(*attention, c, rows, false);
  whole.context.backward(dy);
  std::vector<Tensor> gradients;
  for (const auto& p : params.parameters()) {
    gradients.push_back(p.value->grad().clone());
    p.value->clear_grad();
  }
  std::vector<Var> contexts;
  const Attended last = step_by_step(*attention, c, rows, contexts);
  const Var steps = gather(concat_rows(contexts), order_of_steps(c));
  EXPECT_TRUE(
      close(steps.value(), testing::to_double(whole.context.value()), 1e-6));
  EXPECT_TRUE(close(last.carry.values.value(),
                    testing::to_double(whole.carry.values.value()), 1e-6));
  steps.backward(dy);
  for (size_t i = 0; i < gradients.size(); ++i) {
    EXPECT_TRUE(close(params.parameters()[i].value->grad(),
                      testing::to_double(gradients[i]), 1e-5))
        << params.parameters()[i].name;
  }
}

TEST(Coverage, ABeamCanChooseAmongCarries) {
  AttendCase c = covered();
  c.queries = {1, 1};
  c.keys = {3, 2};
  const auto attention = testing::random_attention(c);
  const Carry carry =
      attend_once(*attention, c, testing::random_rows(c), false).carry;
  ASSERT_EQ(carry.of.total(), 5);
  const Carry chosen = carry.select(std::vector<int>{1, 0, 1});
  EXPECT_EQ(chosen.of.total(), 7);
  EXPECT_EQ(chosen.values.value()[0], carry.values.value()[3]);
  EXPECT_EQ(chosen.values.value()[2], carry.values.value()[0]);
  EXPECT_EQ(chosen.values.value()[6], carry.values.value()[4]);
}

TEST(Coverage, RecordsEveryStep) {
  const AttendCase c = covered();
  const auto attention = testing::random_attention(c);
  Trace trace;
  Pass pass;
  pass.trace = &trace;
  const Memory memory =
      attention->remember({.keys = c.key_rows(), .of = c.key_segments()}, pass);
  attention->attend({.rows = c.query_rows(), .of = c.query_segments()}, memory,
                    {}, pass.in("read"));
  ASSERT_EQ(trace.of("read").size(), 3u);
  EXPECT_EQ(trace.of("read")[2]->queries(0), 1);
  EXPECT_EQ(trace.of("read")[2]->queries(1), 0);
}

TEST(Coverage, ChangesTheWeightsOfLaterStepsOnly) {
  AttendCase c = covered();
  const auto with = testing::random_attention(c);
  const AttendRows rows = testing::random_rows(c);
  const Tensor before =
      attend_once(*with, c, rows, true).weights.values.value();
  testing::param(*with, "score.coverage").value().fill(0);
  const Tensor without =
      attend_once(*with, c, rows, true).weights.values.value();
  for (int j = 0; j < 4; ++j) EXPECT_EQ(before[j], without[j]);
  EXPECT_NE(before[4], without[4]);
}

// The message names both options.
void expect_refused(const ComposedConfig& config, const std::string& other) {
  try {
    make_attention(config, {.query = 6}, RandomKey(1));
    FAIL() << "coverage and " << other;
  } catch (const Error& e) {
    const std::string message = e.what();
    EXPECT_NE(message.find("coverage"), std::string::npos) << message;
    EXPECT_NE(message.find(other), std::string::npos) << message;
  }
}

TEST(Coverage, RefusesWhatItDoesNotGoWith) {
  ComposedConfig dot, local = covered().config, causal = covered().config;
  dot.coverage = true;
  local.extent = "local_m";
  causal.causal = true;
  expect_refused(dot, "score scaled_dot");
  expect_refused(local, "extent local_m");
  expect_refused(causal, "causal");
}

TEST(Coverage, SurvivesABatchWithoutQueriesOrKeys) {
  AttendCase c = covered();
  for (const auto& [queries, keys] :
       {std::pair<std::vector<int>, std::vector<int>>{{0, 0}, {2, 0}},
        {{2, 2}, {0, 0}},
        {{}, {}}}) {
    c.queries = queries;
    c.keys = keys;
    const auto attention = testing::random_attention(c);
    const Attended out =
        attend_once(*attention, c, testing::random_rows(c), true);
    for (float v : out.context.value().span()) EXPECT_EQ(v, 0.0f);
  }
}

}  // namespace
}  // namespace fovea
