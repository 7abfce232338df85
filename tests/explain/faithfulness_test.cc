#include "fovea/explain/faithfulness.h"

#include <gtest/gtest.h>

#include <cmath>

#include "explain/tested_case.h"
#include "fovea/base/check.h"
#include "fovea/explain/faithfulness_summary.h"
#include "fovea/explain/faithfulness_words.h"
#include "support/compare.h"

namespace fovea {
namespace {

using namespace fovea::testing;

constexpr EndMarks kEnds{.source = 2, .target = 2};

std::vector<TestText> some_texts(bool pairs) {
  std::vector<TestText> texts;
  for (int i = 0; i < 7; ++i) {
    TestText text;
    for (int t = 0; t < 2 + i; ++t) text.source.push_back(3 + (5 * i + t) % 14);
    if (pairs) text.target = {3 + i, 4, 5};
    text.label = i % kTinyLabels;
    text.evidence = {0};
    texts.push_back(std::move(text));
  }
  return texts;
}

FaithfulnessConfig quick() {
  FaithfulnessConfig config;
  config.permutations = 7;
  config.adversary.steps = 10;
  config.adversary.restarts = 2;
  config.integrated_steps = 4;
  config.batch_size = 3;
  return config;
}

TEST(Faithfulness, TestsEveryTextOfAClassifier) {
  const TestedCase made = classifier_case("recurrent");
  const std::vector<TestText> texts = some_texts(false);
  int64_t told = 0;
  const std::vector<CaseResult> results = test_weights(
      *made.model, texts, kEnds, quick(), [&](int64_t done) { told = done; });
  ASSERT_EQ(results.size(), texts.size());
  EXPECT_EQ(told, 7);
  for (size_t i = 0; i < results.size(); ++i) {
    const CaseResult& r = results[i];
    EXPECT_EQ(r.text, static_cast<int64_t>(i));
    EXPECT_EQ(r.tokens, std::ssize(texts[i].source));  // not the end mark
    EXPECT_LT(r.top, r.tokens);
    EXPECT_EQ(r.evidence, r.top == 0);
    EXPECT_LE(std::abs(r.gradient.order.tau), 1.0);
    EXPECT_LE(std::abs(r.states.order.tau), 1.0);
    EXPECT_LE(r.integrated_error, 0.01);
    EXPECT_GT(r.probability, 1.0 / kTinyLabels - 1e-6);
  }
}

TEST(Faithfulness, TestsEveryWordOfASequenceModel) {
  for (const char* name : {"transformer", "rnnsearch", "luong_local_p"}) {
    for (const TinyModel& tiny : tiny_models()) {
      if (tiny.name != name) continue;
      const TestedCase made = sequence_case(tiny.config);
      const std::vector<CaseResult> results =
          test_weights(*made.model, some_texts(true), kEnds, quick());
      ASSERT_EQ(results.size(), 7u * 4) << name;  // three words and the end
      EXPECT_EQ(results[5].text, 1);
      EXPECT_EQ(results[5].number, 1);
      EXPECT_EQ(results[5].outcome, 4);
    }
  }
}

TEST(Faithfulness, DoesNotDependOnThreads) {
  const TestedCase made = classifier_case("recurrent");
  std::vector<std::vector<CaseResult>> all;
  with_threads({1, 2}, [&](int) {
    all.push_back(test_weights(*made.model, some_texts(false), kEnds, quick()));
  });
  ASSERT_EQ(all[0].size(), all[1].size());
  for (size_t i = 0; i < all[0].size(); ++i) {
    EXPECT_EQ(all[0][i].permuted, all[1][i].permuted);
    EXPECT_EQ(all[0][i].adversary.js, all[1][i].adversary.js);
    EXPECT_EQ(all[0][i].gradient.order.p, all[1][i].gradient.order.p);
  }
}

TEST(Faithfulness, OfAWordAloneHasNoOrder) {
  const TestedCase made = classifier_case("mlp");
  const std::vector<TestText> one = {{.source = {5}, .label = 0}};
  const std::vector<CaseResult> results =
      test_weights(*made.model, one, kEnds, quick());
  EXPECT_TRUE(std::isnan(results[0].gradient.order.tau));
  const FaithfulnessSummary summary = summarise(results, 0.05);
  EXPECT_EQ(summary.gradient.cases, 0);
  EXPECT_EQ(summary.gradient.tau, 0.0);
}

TEST(Faithfulness, WithoutIntegratedGradientsFindsNothingOfThem) {
  const TestedCase made = classifier_case("mlp");
  FaithfulnessConfig config = quick();
  config.integrated_steps = 0;
  const FaithfulnessSummary summary = summarise(
      test_weights(*made.model, some_texts(false), kEnds, config), 0.05);
  EXPECT_EQ(summary.integrated.cases, 0);
  for (const std::string& line : findings(summary)) {
    EXPECT_EQ(line.find("integrated"), std::string::npos) << line;
  }
}

TEST(Faithfulness, RefusesTestsThatAreNotRun) {
  const TestedCase made = classifier_case("mlp");
  const auto refused = [&](const FaithfulnessConfig& config) {
    EXPECT_THROW(test_weights(*made.model, some_texts(false), kEnds, config),
                 Error);
  };
  for (int i = 0; i < 5; ++i) {
    FaithfulnessConfig bad = quick();
    if (i == 0) bad.permutations = 0;
    if (i == 1) bad.adversary.threshold = -1;
    if (i == 2) bad.adversary.restarts = 0;
    if (i == 3) bad.adversary.steps = 0;
    if (i == 4) bad.head = 1;  // of one
    refused(bad);
  }
}

}  // namespace
}  // namespace fovea
