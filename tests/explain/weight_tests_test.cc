#include "fovea/explain/weight_tests.h"

#include <gtest/gtest.h>

#include <cmath>

#include "explain/tested_case.h"
#include "fovea/eval/distribution_distance.h"
#include "support/effort.h"

namespace fovea {
namespace {

using namespace fovea::testing;

WeightChange change_for(const TestTexts& texts, uint64_t seed = 1) {
  WeightChange change{.key = RandomKey(seed)};
  for (int b = 0; b < texts.count(); ++b) change.numbers.push_back(b);
  return change;
}

LayerRun own_run(const TestedCase& made, const TestTexts& texts) {
  const NoGrad none;
  return run_watched(*made.model, made.model->encode(texts.source), texts);
}

TEST(PermuteWeights, OfEqualWeightsChangesNothing) {
  const TestedCase made = classifier_case("mlp");
  LayerRun own = own_run(made, made.texts);
  const NoGrad none;
  own.calls[0].weights = uniform_weights(own.calls[0].pairs).value();
  own.outputs =
      run_changed(
          *made.model, made.model->encode(made.texts.source), made.texts, own,
          [](const LayerCall& call, size_t) -> Var { return call.weights; })
          .value();
  for (const double moved : permute_weights(*made.model, made.texts, own,
                                            change_for(made.texts), 20)) {
    EXPECT_EQ(moved, 0.0);
  }
}

TEST(PermuteWeights, DependsOnTheTextAndNotOnItsCompany) {
  const TestedCase made = classifier_case("mlp");
  const std::vector<double> together =
      permute_weights(*made.model, made.texts, own_run(made, made.texts),
                      change_for(made.texts), 30);
  for (int b = 0; b < made.texts.count(); ++b) {
    const TestTexts alone = copies_of(made.texts, {{.text = b}});
    WeightChange change = change_for(alone);
    change.numbers = {b};
    const std::vector<double> moved =
        permute_weights(*made.model, alone, own_run(made, alone), change, 30);
    EXPECT_NEAR(moved[0], together[b], 1e-5);
  }
}

TEST(FindAdversaries, FindsOtherWeightsWithTheSameOutput) {
  const TestedCase made = classifier_case("mlp");
  const AdversaryConfig config{.steps = effort(500, 100)};
  const std::vector<Adversary> found =
      find_adversaries(*made.model, made.texts, change_for(made.texts), config);
  const std::vector<CaseWeights> own =
      weights_of_cases(own_run(made, made.texts), -1);
  ASSERT_EQ(found.size(), own.size());
  int some = 0;
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_LE(found[i].distance, config.threshold);
    EXPECT_LE(found[i].js, std::log(2.0));
    if (found[i].found == 0) continue;
    ++some;
    EXPECT_NEAR(found[i].js, js_divergence(own[i].weights, found[i].weights),
                1e-5);
  }
  EXPECT_GT(some, 0);
}

// Where all states of a text are alike, weights do not matter at all: the
// furthest from nine equal ones is one alone, by 0.5126.
TEST(FindAdversaries, ComesNearTheBoundWhereWeightsDoNotMatter) {
  TestedCase made = classifier_case("mlp");
  made.texts.source = {std::vector<int>(9, 4),
                       Segments::from_lengths(std::vector<int>{9})};
  const std::vector<Adversary> found =
      find_adversaries(*made.model, made.texts, change_for(made.texts),
                       {.steps = effort(500, 200)});
  EXPECT_GT(found[0].js, effort(50, 30) / 100.0);
  EXPECT_LT(found[0].js, 0.5127);
  EXPECT_EQ(found[0].found, 5);
}

TEST(FindAdversaries, OfASequenceModelChangesTheChosenHeadOnly) {
  for (const TinyModel& tiny : tiny_models()) {
    if (tiny.name != "transformer" && tiny.name != "rnnsearch") continue;
    const TestedCase made = sequence_case(tiny.config);
    WeightChange change = change_for(made.texts);
    change.head = 0;
    const std::vector<Adversary> found = find_adversaries(
        *made.model, made.texts, change, {.restarts = 2, .steps = 20});
    EXPECT_EQ(std::ssize(found), made.texts.cases().total()) << tiny.name;
    for (const Adversary& one : found) EXPECT_LE(one.distance, 0.05);
  }
}

}  // namespace
}  // namespace fovea
