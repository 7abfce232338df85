#include "fovea/attend/reinforce.h"

#include <cmath>
#include <numeric>

#include "fovea/attend/select.h"
#include "fovea/autograd/elementwise.h"
#include "fovea/autograd/gather.h"
#include "fovea/autograd/softmax.h"
#include "fovea/base/check.h"
#include "support/attend_parts.h"
#include "support/check_op.h"
#include "support/compare.h"
#include "support/random.h"

namespace fovea {
namespace {

using namespace testing;  // NOLINT: the support library

// Two heads; rows with three keys, none, one and five.
Pairs some_pairs() {
  return {{{.keys = 3}, {.keys = 0}, {.keys = 1}, {.keys = 5}}, 2, 2};
}

Tensor positive(int64_t count, uint64_t seed) {
  Tensor x = random_tensor({count}, seed);
  for (float& v : x.span()) v = 0.1f + std::abs(v);
  return x;
}

// Calls fn(row, share of each key) for each row and head.
void for_shares(const Doubles& w, const Pairs& pairs,
                const std::function<void(int64_t, int, const Doubles&)>& fn) {
  for (int64_t m = 0; m < pairs.rows(); ++m) {
    for (int h = 0; h < pairs.heads(); ++h) {
      const auto begin = w.begin() + pairs.begin(m, h);
      Doubles shares(begin, begin + pairs.row(m).keys);
      const double total = std::accumulate(shares.begin(), shares.end(), 0.0);
      for (double& p : shares) p /= total;
      fn(m, h, shares);
    }
  }
}

TEST(Reinforce, LogProbabilitiesEqualTheirTwin) {
  const Pairs pairs = some_pairs();
  const Tensor weights = positive(pairs.size(), 1);
  const Chosen chosen = choose_by_draw(weights, pairs, RandomKey{3});
  check_op(
      [&](const auto& in) { return log_probabilities(in[0], chosen, pairs); },
      [&](const auto& in) {
        Doubles y(pairs.rows(), 0.0);
        for_shares(in[0], pairs, [&](int64_t m, int h, const Doubles& shares) {
          const int64_t i = chosen[2 * m + h];
          if (i >= 0) y[m] += std::log(shares[i - pairs.begin(m, h)]);
        });
        return y;
      },
      {weights});
}

TEST(Reinforce, EntropiesEqualTheirTwin) {
  const Pairs pairs = some_pairs();
  check_op([&](const auto& in) { return entropies(in[0], pairs); },
           [&](const auto& in) {
             Doubles y(pairs.rows(), 0.0);
             for_shares(in[0], pairs,
                        [&](int64_t m, int, const Doubles& shares) {
                          for (double p : shares) y[m] -= p * std::log(p);
                        });
             return y;
           },
           {positive(pairs.size(), 1)});
}

TEST(Reinforce, EntropyOfCertainAndOfAbsentKeysIsZero) {
  Tensor weights = Tensor::zeros({3});
  weights[1] = 1;
  const Var w = Var::parameter(weights);
  const Var h = entropies(w, rows_of_keys({3, 0}));
  EXPECT_EQ(h.value()[0], 0.0f);
  EXPECT_EQ(h.value()[1], 0.0f);
  h.backward(Tensor::zeros({2}));
  for (float g : w.grad().span()) EXPECT_TRUE(std::isfinite(g));
}

// The three-armed bandit of SPEC B4.
struct Bandit {
  Var logits = Var::parameter(Tensor::zeros({1, 3}));
  std::unique_ptr<Select> select =
      select_part("hard_reinforce", {"semi-sampling=0"});
  Tensor baseline = *Params(*select).buffers().at(0).value;

  Bandit() {
    const float values[] = {0.2f, -0.1f, 0.4f};
    std::copy_n(values, 3, logits.value().data());
  }

  // The estimate from this many draws; the baseline moves unless decay is 1.
  Doubles gradient(int draws, float decay, uint64_t seed) {
    const Pairs pairs = rows_of_keys(std::vector<int>(draws, 3));
    const Var scores = gather(logits, std::vector<int>(draws, 0));
    const Var weights =
        softmax(reshape(scores, {pairs.size()}), pairs.segments());
    std::vector<Choice> choices;
    Pass pass{.training = true, .key = RandomKey{seed}};
    pass.choices = &choices;
    const Segments of = Segments::from_lengths(std::vector<int>(draws, 1));
    const Var drawn = select->choose(weights, pairs, of, pass);
    Tensor costs = Tensor::zeros({draws});
    const float losses[] = {1.0f, 2.0f, 0.5f};
    for (int64_t i = 0; i < drawn.value().size(); ++i) {
      costs[i / 3] += drawn.value()[i] * losses[i % 3];
    }
    std::vector<Update> updates;
    reinforce_loss(choices, costs, {.weight = 1, .entropy = 0, .decay = decay},
                   &updates)
        .backward();
    for (const Update& u : updates) u.buffer.copy_from(u.value);
    const Doubles gradient = to_double(logits.grad());
    logits.clear_grad();
    return gradient;
  }
};

struct Moments {
  Doubles mean = Doubles(3, 0.0), variance = Doubles(3, 0.0);
  double total() const { return variance[0] + variance[1] + variance[2]; }
};

Moments estimates(float decay, int rounds) {
  Bandit bandit;
  std::vector<Doubles> all;
  Moments m;
  for (int i = 0; i < rounds; ++i) {
    all.push_back(bandit.gradient(50, decay, 100 + i));
    for (int k = 0; k < 3; ++k) m.mean[k] += all.back()[k] / rounds;
  }
  for (const Doubles& g : all) {
    for (int k = 0; k < 3; ++k) {
      m.variance[k] += std::pow(g[k] - m.mean[k], 2) / (rounds - 1);
    }
  }
  return m;
}

TEST(Reinforce, EstimatesTheExactGradientOfABandit) {
  const Doubles exact = {-0.01482855, 0.23910352, -0.22427497};
  constexpr int kRounds = 1000;
  const Moments without = estimates(1.0f, kRounds);
  const Moments with = estimates(0.9f, kRounds);
  for (const Moments* m : {&without, &with}) {
    for (int k = 0; k < 3; ++k) {
      const double error = std::sqrt(m->variance[k] / kRounds);
      EXPECT_NEAR(m->mean[k], exact[k], 4 * error);
      EXPECT_LT(error, 0.01);  // or the test above says nothing
    }
  }
  EXPECT_LT(with.total(), 0.5 * without.total());
}

Choice choice_of(const std::vector<int>& lengths, const Tensor& baseline) {
  const Segments of = Segments::from_lengths(lengths);
  return {.name = "layer",
          .log_probability = Var::parameter(random_tensor({of.total()}, 1)),
          .entropy = Var::parameter(random_tensor({of.total()}, 2)),
          .of = of,
          .baseline = baseline};
}

TEST(Reinforce, WeighsRowsByTheCostOfTheirSequence) {
  Tensor baseline = Tensor::zeros({1}), costs({3});
  baseline[0] = 0.5f;
  costs[0] = 1, costs[1] = 2, costs[2] = 4;
  const Choice choice = choice_of({2, 0, 1}, baseline);
  std::vector<Update> updates;
  reinforce_loss(std::vector{choice, choice}, costs, {}, &updates).backward();
  // Twice, since it came twice; three sequences.
  EXPECT_TRUE(close(choice.log_probability.grad(),
                    Doubles{0.1 / 3, 0.1 / 3, 0.7 / 3}, 1e-6));
  EXPECT_TRUE(close(choice.entropy.grad(), Doubles(3, -0.004 / 3), 1e-6));
  ASSERT_EQ(updates.size(), 1u);  // one select
  EXPECT_EQ(updates[0].buffer.data(), baseline.data());
  EXPECT_NEAR(updates[0].value[0], 0.9 * 0.5 + 0.1 * 7 / 3, 1e-6);
  EXPECT_EQ(baseline[0], 0.5f);  // the trainer writes it
}

TEST(Reinforce, TakesACostForEachRow) {
  Tensor costs({3});
  costs[0] = 1, costs[1] = 2, costs[2] = 4;
  const Choice choice = choice_of({3}, Tensor::zeros({1}));
  reinforce_loss(std::vector{choice}, costs, {.weight = 1}, nullptr).backward();
  EXPECT_TRUE(close(choice.log_probability.grad(), Doubles{1, 2, 4}, 1e-6));
  EXPECT_THROW(
      reinforce_loss(std::vector{choice}, Tensor::zeros({2}), {}, nullptr),
      Error);
}

}  // namespace
}  // namespace fovea
