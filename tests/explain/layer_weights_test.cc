#include "fovea/explain/layer_weights.h"

#include <gtest/gtest.h>

#include "explain/tested_case.h"
#include "fovea/base/check.h"
#include "support/compare.h"

namespace fovea {
namespace {

using namespace fovea::testing;

// The outputs with the model's own weights, and with the same ones imposed.
void expect_own_weights_change_nothing(const TestedCase& made) {
  const NoGrad none;
  const Encoded source = made.model->encode(made.texts.source);
  const LayerRun own = run_watched(*made.model, source, made.texts);
  const Tensor plain =
      made.model->outputs(source, made.texts.target, Pass{}).value();
  const Tensor imposed = run_changed(*made.model, source, made.texts, own,
                                     [](const LayerCall& call, size_t) -> Var {
                                       return call.weights;
                                     })
                             .value();
  EXPECT_TRUE(same_bits(own.outputs.span(), imposed.span()));
  EXPECT_TRUE(close(plain.span(), imposed.span(), 1e-5));
}

TEST(LayerWeights, OfAClassifierThatAreImposedOnItChangeNothing) {
  for (const char* encoder : {"mlp", "recurrent", "transformer"}) {
    expect_own_weights_change_nothing(classifier_case(encoder));
  }
  expect_own_weights_change_nothing(classifier_case("mlp", "query"));
}

TEST(LayerWeights, OfASequenceModelThatAreImposedOnItChangeNothing) {
  int tested = 0;
  for (const TinyModel& tiny : tiny_models()) {
    SCOPED_TRACE(tiny.name);
    if (!Seq2Seq(tiny.config, RandomKey(1)).has_attention()) continue;
    if (tiny.config.attend.select == "gated") {
      EXPECT_THROW(sequence_case(tiny.config), Error);
      continue;
    }
    expect_own_weights_change_nothing(sequence_case(tiny.config));
    ++tested;
  }
  EXPECT_GE(tested, 4);
}

TEST(LayerWeights, BelongToTheirCasesAndAddUpToOne) {
  for (const TinyModel& tiny : tiny_models()) {
    if (tiny.name != "transformer" && tiny.name != "rnnsearch") continue;
    const TestedCase made = sequence_case(tiny.config);
    const NoGrad none;
    const LayerRun own = run_watched(
        *made.model, made.model->encode(made.texts.source), made.texts);
    const std::vector<CaseWeights> weights = weights_of_cases(own, -1);
    const Segments cases = made.texts.cases();
    ASSERT_EQ(std::ssize(weights), cases.total());
    for (int b = 0; b < cases.count(); ++b) {
      for (int i = cases.begin(b); i < cases.end(b); ++i) {
        EXPECT_EQ(std::ssize(weights[i].weights),
                  made.texts.source.of.length(b));
        double sum = 0;
        for (const float w : weights[i].weights) sum += w;
        EXPECT_NEAR(sum, 1.0, 1e-5);
      }
    }
  }
}

TEST(LayerWeights, OfALayerThatIsNotThereAreAUsageError) {
  const TestedCase made = sequence_case(tiny_models().front().config);
  const auto other = tested_sequence_model(*made.translator, "decoder.nothing");
  EXPECT_THROW(
      run_watched(*other, other->encode(made.texts.source), made.texts), Error);
}

TEST(TestedModel, RefusesAClassifierWithoutAttention) {
  const Classifier mean(tiny_classifier("none", "mean"), RandomKey(1));
  EXPECT_THROW(tested_classifier(mean), Error);
}

}  // namespace
}  // namespace fovea
