// Laws that hold for every classifier there is.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "fovea/models/checkpoint.h"
#include "fovea/models/classifier.h"
#include "fovea/models/classifier_presets.h"
#include "fovea/train/optimizer.h"
#include "support/check_layer.h"
#include "support/compare.h"
#include "support/tiny_classifiers.h"

namespace fovea {
namespace {

using namespace fovea::testing;

class ClassifierLaws : public ::testing::TestWithParam<TinyClassifier> {
 protected:
  ClassifierLaws() : model_(GetParam().config, RandomKey(5)), params_(model_) {}

  Tensor logits(const Batch& batch) const {
    const NoGrad none;
    return model_.logits(batch.source, Pass{}).value();
  }

  Classifier model_;
  Params params_;
};

TEST_P(ClassifierLaws, ATextGivesTheSameBitsAloneAndInABatch) {
  params_.prepare(Precision::kFloat32);
  const Batch batch = tiny_labelled_batch(1, 9);
  const Tensor together = logits(batch);
  for (int b = 0; b < batch.size(); ++b) {
    EXPECT_TRUE(same_bits(together.row_range(b, b + 1).span(),
                          logits(only_text(batch, b)).span()))
        << b;
  }
}

TEST_P(ClassifierLaws, GradientsAgreeWithDifferences) {
  randomise(params_, 3, 0.3f);
  const Batch batch = tiny_labelled_batch(4, 3);
  const auto loss = [&] {
    return model_.loss(batch, {.normaliser = 1.0}, Pass{});
  };
  loss().total.backward();
  for (const Params::Parameter& p : params_.parameters()) {
    ASSERT_TRUE(p.value->grad()) << p.name;
    const Tensor value = p.value->value();
    // One number of each parameter, by central differences.
    const int64_t i = value.size() / 2;
    const float h = 1e-2f, before = value[i];
    const NoGrad none;
    value[i] = before + h;
    const double up = loss().nll;
    value[i] = before - h;
    const double down = loss().nll;
    value[i] = before;
    const double expected = (up - down) / (2 * h);
    EXPECT_NEAR(p.value->grad()[i], expected,
                0.02 * std::max(1.0, std::fabs(expected)))
        << p.name;
  }
}

TEST_P(ClassifierLaws, SavedAndLoadedItGivesTheSameBits) {
  const std::string path =
      ::testing::TempDir() + GetParam().name + ".classifier.safetensors";
  save_parameters(path, params_);
  Classifier other(GetParam().config, RandomKey(6));
  load_parameters(path, Params(other));
  std::filesystem::remove(path);
  const Batch batch = tiny_labelled_batch(5, 4);
  const NoGrad none;
  EXPECT_EQ(model_.loss(batch, {}, Pass{}).nll,
            other.loss(batch, {}, Pass{}).nll);
}

TEST_P(ClassifierLaws, ItLearnsAFewTextsByHeart) {
  const Batch batch = tiny_labelled_batch(6, 8);
  Optimizer optimizer({}, params_);
  BatchLoss result;
  for (int step = 1; step <= 150; ++step) {
    result = model_.loss(batch, {}, Pass{.key = RandomKey(step)});
    result.total.backward();
    optimizer.step(step, 1e-2f, optimizer.gradient_norm());
  }
  EXPECT_LT(result.nll / static_cast<double>(result.rows), 0.05);
  EXPECT_EQ(result.correct, batch.size());
}

INSTANTIATE_TEST_SUITE_P(All, ClassifierLaws,
                         ::testing::ValuesIn(tiny_classifiers()),
                         [](const auto& one) { return one.param.name; });

TEST(ClassifierPresets, EachMakesAModel) {
  for (const ClassifierPreset& preset : all_classifier_presets()) {
    ClassifierConfig config = preset.make();
    config.words = kTinyWords;
    config.labels = kTinyLabels;
    const Classifier model(config, RandomKey(1));
    const Batch batch = tiny_labelled_batch(1, 2);
    const NoGrad none;
    EXPECT_EQ(model.logits(batch.source, Pass{}).shape(), Shape({2, 3}))
        << preset.name;
  }
}

}  // namespace
}  // namespace fovea
