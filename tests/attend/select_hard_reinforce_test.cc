#include "fovea/attend/select_hard_reinforce.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "fovea/attend/reinforce.h"
#include "fovea/base/check.h"
#include "support/attend_case.h"
#include "support/attend_parts.h"
#include "support/chi_square.h"
#include "support/compare.h"
#include "support/random.h"

namespace fovea {
namespace {

using namespace testing;  // NOLINT: the support library

AttendCase plain_case(const std::string& select,
                      std::vector<std::string> options = {}) {
  return {.config = {.score = "dot",
                     .select = select,
                     .project = false,
                     .value_proj = false,
                     .out_proj = false,
                     .options = std::move(options)}};
}

Attended run(const AttendCase& c, const Pass& pass, bool want_weights = true) {
  const auto attention = random_attention(c);
  const AttendRows rows = random_rows(c);
  const Memory memory = attention->remember(
      {.keys = rows.keys, .values = rows.values, .of = c.key_segments()}, pass);
  return attention->attend({.rows = rows.queries,
                            .of = c.query_segments(),
                            .want_weights = want_weights},
                           memory, {}, pass);
}

// Every row's context is one value of its sequence, or zeros without keys.
void expect_one_value_each(const AttendCase& c, const Attended& out) {
  const Tensor values = c.value_rows();
  for (int64_t m = 0; m < out.weights.pairs.rows(); ++m) {
    const Pairs::Row& row = out.weights.pairs.row(m);
    const float* context = out.context.value().row_range(m, m + 1).data();
    bool found = row.keys == 0 && context[0] == 0;
    for (int j = 0; j < row.keys; ++j) {
      const Tensor value = values.row_range(row.key + j, row.key + j + 1);
      found = found || std::equal(value.data(), value.data() + 6, context);
    }
    EXPECT_TRUE(found) << m;
  }
}

TEST(HardReinforce, GivesOneValueExactly) {
  const AttendCase c = plain_case("hard_reinforce", {"semi-sampling=0"});
  expect_one_value_each(c, run(c, {}));
  for (uint64_t seed = 0; seed < 5; ++seed) {
    expect_one_value_each(c,
                          run(c, {.training = true, .key = RandomKey{seed}}));
  }
}

TEST(HardReinforce, TakesTheLargestWeightOutsideOfTraining) {
  const Tensor hard =
      run(plain_case("hard_reinforce"), {}).weights.values.value();
  const Attended soft = run(plain_case("soft"), {});
  EXPECT_EQ(to_double(hard),
            to_double(one_hot(
                choose_largest(soft.weights.values.value(), soft.weights.pairs),
                soft.weights.pairs)));
}

TEST(HardReinforce, MayTakeTheMeanOutsideOfTraining) {
  const Attended hard =
      run(plain_case("hard_reinforce", {"test=expectation"}), {}, false);
  EXPECT_FALSE(hard.weights.values);
  EXPECT_TRUE(
      same_bits(hard.context.value().span(),
                run(plain_case("soft"), {}, false).context.value().span()));
}

TEST(HardReinforce, DrawsByTheWeights) {
  constexpr int kDraws = 100000;
  const std::vector<double> p = {0.1, 0.25, 0.05, 0.6};
  const Pairs pairs = rows_of_keys(std::vector<int>(kDraws, 4));
  Tensor weights({pairs.size()});
  for (int64_t i = 0; i < weights.size(); ++i) {
    weights[i] = static_cast<float>(p[i % 4]);
  }
  std::vector<int> counts(4);
  for (int64_t i : choose_by_draw(weights, pairs, RandomKey{5}))
    ++counts[i % 4];
  EXPECT_LT(chi_square(counts, p), 21.1);  // 3 degrees of freedom, p = 1e-4
}

TEST(HardReinforce, NeverDrawsAKeyWithoutWeight) {
  const Pairs pairs = rows_of_keys(std::vector<int>(1000, 3));
  Tensor weights = Tensor::zeros({pairs.size()});
  for (int64_t m = 0; m < 500; ++m) weights[3 * m + 1] = 1e-30f;
  const Chosen chosen = choose_by_draw(weights, pairs, RandomKey{5});
  for (int64_t m = 0; m < 1000; ++m) {
    EXPECT_EQ(chosen[m], m < 500 ? 3 * m + 1 : -1);
  }
}

TEST(HardReinforce, ThrowsOneCoinForACall) {
  const AttendCase c = plain_case("hard_reinforce");
  const Attended soft = run(plain_case("soft"), {});
  int means = 0;
  constexpr int kCalls = 200;
  for (uint64_t seed = 0; seed < kCalls; ++seed) {
    std::vector<Choice> choices;
    Pass pass{.training = true, .key = RandomKey{seed}};
    pass.choices = &choices;
    const Attended out = run(c, pass);
    const bool mean = same_bits(out.weights.values.value().span(),
                                soft.weights.values.value().span());
    means += mean;
    if (!mean) expect_one_value_each(c, out);
    ASSERT_EQ(choices.size(), 1u);
    EXPECT_EQ(choices[0].of, c.query_segments());
    float sum = 0;
    for (float v : choices[0].log_probability.value().span()) sum += v;
    EXPECT_EQ(sum == 0, mean);
    EXPECT_GT(choices[0].entropy.value()[0], 0);
  }
  EXPECT_NEAR(means, kCalls / 2, 4 * std::sqrt(kCalls / 4.0));
}

TEST(HardReinforce, DrawsAnewAtEachPosition) {
  const auto select = select_part("hard_reinforce", {"semi-sampling=0"});
  const Pass pass{.training = true, .key = RandomKey{1}};
  Tensor weights({20});
  for (float& w : weights.span()) w = 0.05f;
  std::vector<double> seen;
  for (int step = 0; step < 8; ++step) {
    const Pairs pairs({{.keys = 20, .position = step}}, 1, 1);
    const Tensor one =
        select
            ->choose(weights, pairs, Segments::from_lengths(std::vector{1}),
                     pass)
            .value();
    seen.push_back(std::max_element(one.data(), one.data() + 20) - one.data());
  }
  EXPECT_GT(std::set<double>(seen.begin(), seen.end()).size(), 3u);
}

TEST(HardReinforce, KeepsItsBaselineAsABuffer) {
  const auto attention = random_attention(plain_case("hard_reinforce"));
  const auto buffers = Params(*attention).buffers();
  ASSERT_EQ(buffers.size(), 1u);
  EXPECT_EQ(buffers[0].name, "select.baseline");
}

TEST(HardReinforce, RefusesAProbabilityAboveOne) {
  EXPECT_THROW(select_part("hard_reinforce", {"semi-sampling=1.5"}), Error);
}

}  // namespace
}  // namespace fovea
