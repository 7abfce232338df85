#include "fovea/eval/classification.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fovea/base/check.h"

namespace fovea {
namespace {

using Texts = std::vector<std::string>;

TEST(LabelOf, ReadsTheUsualForms) {
  EXPECT_EQ(label_of("good"), "good");
  EXPECT_EQ(label_of(" very good \t0.93"), "very good");
  EXPECT_EQ(label_of("__label__pos I liked it"), "pos");
  EXPECT_EQ(label_of("\tno label"), "");
  EXPECT_EQ(label_of(""), "");
}

const Texts kTruth{"a", "a", "a", "b", "b", "c"};
const Texts kPredicted{"a", "a", "b", "b", "c", "a"};

TEST(Confusion, CountsLabelsByTruth) {  // SPEC F14
  const Confusion confusion(kPredicted, kTruth);
  EXPECT_EQ(confusion.labels(), (Texts{"a", "b", "c"}));
  EXPECT_EQ(confusion.count(0, 0), 2);
  EXPECT_EQ(confusion.count(0, 1), 1);
  EXPECT_EQ(confusion.count(2, 0), 1);
  EXPECT_EQ(confusion.count(2, 2), 0);
  EXPECT_NEAR(confusion.accuracy(), 50, 1e-9);
  EXPECT_NEAR(confusion.micro_f1(), 50, 1e-9);
  // F1: a 2/3, b 1/2, c 0.
  EXPECT_NEAR(confusion.macro_f1(), 100 * (2 / 3.0 + 0.5) / 3, 1e-9);
  EXPECT_NEAR(confusion.scores(0).precision, 100 * 2 / 3.0, 1e-9);
  EXPECT_EQ(confusion.scores(0).support, 3);
  EXPECT_EQ(confusion.scores(2).f1, 0);
}

TEST(Confusion, AveragesOverLabelsThatAreTrueSomewhere) {
  const Texts predicted{"a", "x"}, truth{"a", "b"};
  EXPECT_NEAR(Confusion(predicted, truth).macro_f1(), 50, 1e-9);
  EXPECT_NEAR(corpus_score(LabelF1(), predicted, truth), 50, 1e-9);
}

TEST(LabelF1, AgreesWithTheConfusion) {
  const Confusion confusion(kPredicted, kTruth);
  const LabelF1 f1;
  EXPECT_NEAR(corpus_score(f1, kPredicted, kTruth), confusion.macro_f1(), 1e-9);
  const MetricText truth[] = {{kTruth}};
  const auto figures = f1.figures(f1.count({kPredicted}, truth).sums());
  EXPECT_EQ(figures[0].name, "micro");
  EXPECT_NEAR(figures[0].values[0], confusion.micro_f1(), 1e-9);
  const MetricText two[] = {{kTruth}, {kTruth}};
  EXPECT_THROW(f1.count({kPredicted}, two), Error);
}

TEST(RocAuc, IsTheShareOfPairsInOrder) {
  const double scores[] = {0.1, 0.4, 0.35, 0.8};
  EXPECT_NEAR(roc_auc(scores, {false, false, true, true}), 0.75, 1e-12);
  const double tied[] = {0.5, 0.5, 0.5};
  EXPECT_NEAR(roc_auc(tied, {true, false, true}), 0.5, 1e-12);
  EXPECT_TRUE(std::isnan(roc_auc(tied, {true, true, true})));
}

}  // namespace
}  // namespace fovea
