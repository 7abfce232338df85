#include "fovea/attend/select_hard_gumbel.h"

#include <algorithm>
#include <cmath>

#include "fovea/base/check.h"
#include "support/attend_parts.h"
#include "support/chi_square.h"
#include "support/compare.h"
#include "support/random.h"
#include "support/twin_attend.h"

namespace fovea {
namespace {

using namespace testing;  // NOLINT: the support library

const Pass kTraining{.training = true, .key = RandomKey{7}};

Segments one_each(int rows) {
  return Segments::from_lengths(std::vector<int>(rows, 1));
}

// SPEC B5.
TEST(HardGumbel, ChoosesByTheWeights) {
  constexpr int kDraws = 100000;
  const std::vector<double> p = {0.1, 0.25, 0.05, 0.6};
  const Pairs pairs = rows_of_keys(std::vector<int>(kDraws, 4));
  Tensor weights({pairs.size()});
  for (int64_t i = 0; i < weights.size(); ++i) {
    weights[i] = static_cast<float>(p[i % 4]);
  }
  const Tensor y = select_part("hard_gumbel")
                       ->choose(weights, pairs, one_each(kDraws), kTraining)
                       .value();
  std::vector<int> counts(4);
  for (int64_t i = 0; i < y.size(); ++i) counts[i % 4] += y[i] == 1.0f;
  EXPECT_EQ(counts[0] + counts[1] + counts[2] + counts[3], kDraws);
  EXPECT_LT(chi_square(counts, p), 21.1);  // 3 degrees of freedom, p = 1e-4
}

// softmax((log w + g) / tau), with the noise of kTraining.
Doubles soft_choice(const Doubles& weights, double tau) {
  Doubles scores;
  for (size_t i = 0; i < weights.size(); ++i) {
    const double u = random_uniform(
        kTraining.key.with("gumbel").with(uint64_t{0}), static_cast<int>(i));
    scores.push_back((std::log(weights[i]) - std::log(-std::log(u))) / tau);
  }
  return twin_softmax_row(scores);
}

const Doubles kWeights = {0.1, 0.3, 0.2, 0.4};

// The gradient of sum(seed * choice) by the weights.
Doubles gradient(const std::string& tau, const Tensor& seed) {
  const Var w = Var::parameter(Tensor({4}));
  std::copy(kWeights.begin(), kWeights.end(), w.value().data());
  const Var y = select_part("hard_gumbel", {"tau=" + tau})
                    ->choose(w, rows_of_keys({4}), one_each(1), kTraining);
  const Doubles soft = soft_choice(kWeights, std::stod(tau));
  for (int i = 0; i < 4; ++i) {
    const bool largest = soft[i] == *std::ranges::max_element(soft);
    EXPECT_EQ(y.value()[i], largest ? 1.0f : 0.0f);
  }
  y.backward(seed);
  return to_double(w.grad());
}

TEST(HardGumbel, HasTheGradientOfTheSoftChoice) {
  const Tensor seed = random_tensor({4}, 3);
  for (const char* tau : {"1", "0.5", "2"}) {
    Doubles expected, moved = kWeights;
    for (double& w : moved) {
      constexpr double kStep = 1e-6;
      double difference = 0;
      for (double sign : {1.0, -1.0}) {
        w += sign * kStep;
        const Doubles y = soft_choice(moved, std::stod(tau));
        w -= sign * kStep;
        for (int i = 0; i < 4; ++i) difference += sign * seed[i] * y[i];
      }
      expected.push_back(difference / (2 * kStep));
    }
    EXPECT_TRUE(close(gradient(tau, seed), expected, kGradientTolerance));
  }
}

// Where tau comes to 0 the soft choice is the hard one: no gradient is left.
TEST(HardGumbel, SoftChoiceBecomesHardAsTauFalls) {
  const Doubles soft = soft_choice(kWeights, 0.001);
  EXPECT_GT(*std::ranges::max_element(soft), 1 - 1e-9);
  for (double g : gradient("0.001", random_tensor({4}, 3))) {
    EXPECT_NEAR(g, 0, 1e-6);
  }
}

TEST(HardGumbel, GivesOneKeyItsWholeValueAndHiddenKeysNothing) {
  const auto select = select_part("hard_gumbel");
  Tensor weights = Tensor::zeros({6});
  weights[0] = 1, weights[2] = 0.5f;
  const Var w = Var::parameter(weights);
  const Pairs pairs = rows_of_keys({1, 3, 0, 2});
  const Var y = select->choose(w, pairs, one_each(4), kTraining);
  EXPECT_EQ(to_double(y.value()), (Doubles{1, 0, 1, 0, 0, 0}));
  y.backward(random_tensor({6}, 1));
  for (float g : w.grad().span()) EXPECT_TRUE(std::isfinite(g));
}

TEST(HardGumbel, TakesTheLargestOrTheMeanOutsideOfTraining) {
  Tensor weights({4});
  std::copy(kWeights.begin(), kWeights.end(), weights.data());
  const auto chosen = [&](const std::string& test) {
    return to_double(select_part("hard_gumbel", {"test=" + test})
                         ->choose(weights, rows_of_keys({4}), one_each(1), {})
                         .value());
  };
  EXPECT_EQ(chosen("argmax"), (Doubles{0, 0, 0, 1}));
  EXPECT_EQ(chosen("expectation"), to_double(weights));
}

TEST(HardGumbel, RefusesATauOfZero) {
  EXPECT_THROW(select_part("hard_gumbel", {"tau=0"}), Error);
}

}  // namespace
}  // namespace fovea
