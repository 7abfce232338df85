#include "fovea/explain/retraining.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "explain/tested_case.h"
#include "fovea/base/check.h"
#include "support/model_folder.h"
#include "support/temp_folder.h"

namespace fovea {
namespace {

using namespace fovea::testing;

// Texts whose label is told by one word among others.
class Retraining : public ::testing::Test {
 protected:
  Retraining() : model_{{}, tiny_tokenizer(), {"a", "b", "c"}, nullptr} {
    model_.config.model = tiny_classifier("recurrent", "attention");
    model_.model =
        std::make_unique<Classifier>(model_.config.model, RandomKey(5));
    make_constant(Params(*model_.model), 7);
    std::string lines;
    for (int i = 0; i < 120; ++i) {
      const std::string text = text_of(i);
      lines += join(model_.labels[i % 3], "\t", text, "\n");
      if (i >= 12) continue;
      texts_.push_back({.source = model_.text.encode(text), .label = i % 3});
    }
    config_.train = folder_.write("train.tsv", lines);
    config_.epochs = 12;
    config_.seeds = 2;
    config_.lambdas = {0, 0.1};
    config_.lr = 0.02f;
    config_.batch_tokens = 60;
  }

  static std::string text_of(int i) {
    return join("w", 6 + i % 7, " w", 3 + i % 3, " w", 6 + i * 5 % 8);
  }

  const RetrainedModel& named(const std::string& name) const {
    const auto found = std::ranges::find(results_, name, &RetrainedModel::name);
    EXPECT_NE(found, results_.end()) << name;
    return *found;
  }

  void run() {
    summary_.threshold = 0.05;
    results_ = retrain(
        model_, texts_, config_,
        [&](int64_t done, int64_t all) {
          told_ = {done, all};
        },
        summary_);
  }

  const TempFolder folder_;
  ClassifierModel model_;
  std::vector<TestText> texts_;
  RetrainingConfig config_;
  FaithfulnessSummary summary_;
  std::vector<RetrainedModel> results_;
  std::pair<int64_t, int64_t> told_;
};

// SPEC E9: uniform weights, other seeds, the token-wise model with three kinds
// of weights, trained adversaries, and the last of them without context.
TEST_F(Retraining, TrainsOneModelForEachQuestion) {
  run();
  ASSERT_EQ(results_.size(), 2u + 4 + 2 + 1);
  EXPECT_EQ(told_.first, told_.second);
  EXPECT_EQ(told_.second, 9 * config_.epochs);
  for (const RetrainedModel& m : results_) {
    EXPECT_EQ(m.js.size(), texts_.size()) << m.name;
    EXPECT_GE(m.distance, 0) << m.name;
    EXPECT_LE(m.distance, 1) << m.name;
  }
  EXPECT_GT(named("seed 1").accuracy, 90);
  EXPECT_NE(named("seed 1").js, named("seed 2").js);
  // Frozen weights are the model's own.
  for (const double js : named("token-wise, this model's").js) {
    EXPECT_NEAR(js, 0, 1e-6);
  }
  EXPECT_TRUE(summary_.retrained());
  EXPECT_EQ(summary_.uniform, named("uniform").accuracy);
  EXPECT_EQ(summary_.tokens_frozen, named("token-wise, this model's").accuracy);
  EXPECT_EQ(summary_.lambdas, config_.lambdas);
  // Who imitates without a reason to look elsewhere is nearer to the model than
  // who learns the labels.
  EXPECT_LT(summary_.trained_distance[0], named("seed 1").distance);
  EXPECT_GE(summary_.trained_js[1], summary_.trained_js[0]);
}

TEST_F(Retraining, WithoutLambdasHasNoAdversary) {
  config_.lambdas = {};
  config_.epochs = 1;
  config_.seeds = 1;
  run();
  EXPECT_EQ(results_.size(), 1u + 4);
  EXPECT_EQ(summary_.tokens_adversary, -1);
}

TEST_F(Retraining, RefusesNumbersThatMakeNoSense) {
  const auto refused = [&](const RetrainingConfig& config) {
    EXPECT_THROW(check_retraining(config), Error);
  };
  check_retraining(config_);
  // Said before tests run for minutes.
  config_.train += ".none";
  EXPECT_THROW(check_retraining(config_), Error);
  for (int i = 0; i < 5; ++i) {
    RetrainingConfig bad = config_;
    if (i == 0) bad.epochs = 0;
    if (i == 1) bad.seeds = 0;
    if (i == 2) bad.lr = 0;
    if (i == 3) bad.batch_tokens = 0;
    if (i == 4) bad.lambdas = {-1};
    refused(bad);
  }
}

}  // namespace
}  // namespace fovea
