#include "fovea/explain/attribution.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "explain/tested_case.h"
#include "fovea/eval/distribution_distance.h"
#include "support/compare.h"

namespace fovea {
namespace {

using namespace fovea::testing;

LayerRun own_run(const TestedCase& made) {
  const NoGrad none;
  return run_watched(*made.model, made.model->encode(made.texts.source),
                     made.texts);
}

// The change of a probability when the embedding of one token grows a little,
// times that: what gradient x input says, by differences.
double grown(const TestedCase& made, const std::vector<int>& outcomes, int text,
             int token) {
  const NoGrad none;
  constexpr float kStep = 1e-2f;
  const auto probability = [&](float factor) {
    Tensor rows = made.model->embed(made.texts.source).value().clone();
    const int at = made.texts.source.of.begin(text) + token;
    for (float& v : rows.row_range(at, at + 1).span()) v *= factor;
    const Tensor p =
        made.model
            ->outputs(made.model->encode(Var(rows), made.texts.source.of),
                      made.texts.target, Pass{})
            .value();
    return double{p[text * p.cols() + outcomes[text]]};
  };
  return (probability(1 + kStep) - probability(1 - kStep)) / (2 * kStep);
}

TEST(GradientTimesInput, AgreesWithDifferences) {
  for (const char* encoder : {"mlp", "recurrent"}) {
    const TestedCase made = classifier_case(encoder);
    const std::vector<int> outcomes =
        explained_outcomes(made.texts, own_run(made).outputs);
    const auto scores = gradient_times_input(*made.model, made.texts, outcomes);
    for (int b = 0; b < made.texts.count(); ++b) {
      for (int t = 0; t < made.texts.source.of.length(b); ++t) {
        EXPECT_NEAR(scores[b][t], grown(made, outcomes, b, t), 2e-3);
      }
    }
  }
}

// A token-wise model whose weights are held fixed: the probability depends on
// each token through its own row alone, so uniform weights leave its share.
TEST(GradientTimesInput, PassesNoGradientThroughFrozenWeights) {
  const TestedCase made = classifier_case("mlp");
  const LayerRun own = own_run(made);
  const std::vector<int> outcomes = explained_outcomes(made.texts, own.outputs);
  LayerRun none_at_first = own;
  for (LayerCall& call : none_at_first.calls) {
    call.weights = call.weights.clone();
    for (int64_t m = 0; m < call.pairs.rows(); ++m) {
      call.weights[call.pairs.begin(m, 0)] = 0.0f;
    }
  }
  const auto scores =
      gradient_times_input(*made.model, made.texts, outcomes, &none_at_first);
  for (const TokenScores& of_text : scores) EXPECT_EQ(of_text[0], 0.0f);
}

// The change of the probability of a case when the state of one token grows a
// little, times that, with the weights of a run in the place of its own.
double state_grown(const TestedCase& made, const LayerRun& own, int64_t of,
                   int outcome, int row) {
  const NoGrad none;
  constexpr float kStep = 1e-2f;
  const auto probability = [&](float factor) {
    Encoded source = made.model->encode(made.texts.source);
    const Tensor rows = source.states.value().clone();
    for (float& v : rows.row_range(row, row + 1).span()) v *= factor;
    source.states = Var(rows);
    const Tensor p = run_changed(*made.model, source, made.texts, own,
                                 [](const LayerCall& call, size_t) -> Var {
                                   return call.weights;
                                 })
                         .value();
    return double{p[of * p.cols() + outcome]};
  };
  return (probability(1 + kStep) - probability(1 - kStep)) / (2 * kStep);
}

void expect_state_gradients(const TestedCase& made, const std::string& name) {
  const LayerRun own = own_run(made);
  const std::vector<int> outcomes = explained_outcomes(made.texts, own.outputs);
  const auto scores =
      gradient_times_state(*made.model, made.texts, outcomes, own);
  const Segments cases = made.texts.cases(), &of = made.texts.source.of;
  double largest = 0;
  for (int b = 0; b < cases.count(); ++b) {
    for (int i = cases.begin(b); i < cases.end(b); ++i) {
      ASSERT_EQ(std::ssize(scores[i]), of.length(b)) << name;
      for (int t = 0; t < of.length(b); ++t) {
        const double expected =
            state_grown(made, own, i, outcomes[i], of.begin(b) + t);
        EXPECT_NEAR(scores[i][t], expected, 1e-3) << name;
        largest = std::max(largest, std::abs(expected));
      }
    }
  }
  EXPECT_GT(largest, 0.01) << name;  // else anything would do
}

TEST(GradientTimesState, AgreesWithDifferences) {
  for (const char* encoder : {"mlp", "recurrent", "transformer"}) {
    expect_state_gradients(classifier_case(encoder), encoder);
  }
}

TEST(GradientTimesState, OfASequenceModelAgreesWithDifferences) {
  for (const TinyModel& tiny : tiny_models()) {
    if (tiny.name != "transformer" && tiny.name != "rnnsearch") continue;
    expect_state_gradients(sequence_case(tiny.config), tiny.name);
  }
}

// What has no weight is not read.
TEST(GradientTimesState, HasTheWeightAsAFactor) {
  const TestedCase made = classifier_case("recurrent");
  LayerRun none_at_first = own_run(made);
  for (LayerCall& call : none_at_first.calls) {
    for (int64_t m = 0; m < call.pairs.rows(); ++m) {
      call.weights[call.pairs.begin(m, 0)] = 0.0f;
    }
  }
  const std::vector<int> outcomes =
      explained_outcomes(made.texts, none_at_first.outputs);
  for (const TokenScores& of_text :
       gradient_times_state(*made.model, made.texts, outcomes, none_at_first)) {
    EXPECT_EQ(of_text[0], 0.0f);
    EXPECT_NE(of_text[1], 0.0f);
  }
}

TEST(IntegratedGradients, AreCompleteToOnePercent) {
  for (const char* encoder : {"mlp", "recurrent", "transformer"}) {
    const TestedCase made = classifier_case(encoder);
    const std::vector<int> outcomes =
        explained_outcomes(made.texts, own_run(made).outputs);
    const IntegratedGradients found =
        integrated_gradients(*made.model, made.texts, outcomes, 32);
    for (const double error : found.errors) EXPECT_LE(error, 0.01) << encoder;
  }
}

TEST(IntegratedGradients, OfASequenceModelAreComplete) {
  for (const TinyModel& tiny : tiny_models()) {
    if (tiny.name != "transformer" && tiny.name != "rnnsearch") continue;
    TestedCase made = sequence_case(tiny.config);
    made.texts = copies_of(made.texts, {{.text = 2}, {.text = 3}});
    const IntegratedGradients found = integrated_gradients(
        *made.model, made.texts, made.texts.target.ids, 32);
    for (const double error : found.errors) EXPECT_LE(error, 0.01);
  }
}

TEST(Erasure, OfNothingChangesNothing) {
  const TestedCase made = classifier_case("recurrent");
  const NoGrad none;
  const Tensor outputs = own_run(made).outputs;
  for (int b = 0; b < made.texts.count(); ++b) {
    const TestTexts copy = copies_of(made.texts, {{.text = b}});
    const Tensor alone =
        made.model->outputs(made.model->encode(copy.source), {}, Pass{})
            .value();
    EXPECT_TRUE(close(outputs.row_range(b, b + 1).span(), alone.span(), 1e-5));
  }
}

TEST(Erasure, IsTheChangeOfTheOutputOfTheShorterText) {
  const TestedCase made = classifier_case("recurrent");
  const LayerRun own = own_run(made);
  const std::vector<int> outcomes = explained_outcomes(made.texts, own.outputs);
  const Erasure erased =
      erase_tokens(*made.model, made.texts, own.outputs, outcomes);
  const NoGrad none;
  for (int b = 0; b < made.texts.count(); ++b) {
    const int length = made.texts.source.of.length(b);
    EXPECT_EQ(erased.drops[b][length - 1], 0.0f);  // the end mark
    for (int t = 0; t + 1 < length; ++t) {
      const TestTexts shorter = copies_of(made.texts, {{b, t}});
      ASSERT_EQ(shorter.source.of.length(0), length - 1);
      const Tensor p =
          made.model->outputs(made.model->encode(shorter.source), {}, Pass{})
              .value();
      const auto whole = own.outputs.row_range(b, b + 1);
      EXPECT_NEAR(erased.distances[b][t],
                  total_variation(whole.span(), p.span()), 1e-5);
      EXPECT_NEAR(erased.drops[b][t], whole[outcomes[b]] - p[outcomes[b]],
                  1e-5);
    }
  }
}

TEST(Erasure, OfASequenceModelSparesTheTarget) {
  const TestedCase made = sequence_case(tiny_models().front().config);
  const TestTexts shorter = copies_of(made.texts, {{0, 0}});
  EXPECT_EQ(shorter.source.of.length(0), made.texts.source.of.length(0) - 1);
  EXPECT_EQ(shorter.target.of.length(0), made.texts.target.of.length(0));
}

}  // namespace
}  // namespace fovea
