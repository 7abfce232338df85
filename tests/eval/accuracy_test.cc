#include "fovea/eval/accuracy.h"

#include <gtest/gtest.h>

namespace fovea {
namespace {

using Texts = std::vector<std::string>;

TEST(Accuracy, CountsTokensAtTheirPlace) {  // SPEC F1
  const Accuracy accuracy(AccuracyOf::kTokens);
  EXPECT_NEAR(
      corpus_score(accuracy, Texts{"D N V", "D"}, Texts{"D N N", "D N V"}),
      100 * 3 / 6.0, 1e-9);
  EXPECT_EQ(corpus_score(accuracy, Texts{"a"}, Texts{""}), 0);
}

TEST(Accuracy, CountsLinesThatAreRightAsAWhole) {
  const Accuracy exact(AccuracyOf::kLines);
  EXPECT_EQ(exact.name(), "exact");
  EXPECT_NEAR(corpus_score(exact, Texts{"1999-01-02", " a  b ", "c", "D"},
                           Texts{"1999-01-02", "a b", "c d", "d"}),
              50, 1e-9);
  EXPECT_NEAR(
      corpus_score(Accuracy(AccuracyOf::kLines, true), Texts{"D"}, Texts{"d"}),
      100, 1e-9);
}

TEST(Accuracy, IsRightIfAnyReferenceIsMet) {
  const Accuracy exact(AccuracyOf::kLines);
  const Texts output{"b"}, one{"a"}, two{"b"};
  const MetricText references[] = {{one}, {two}};
  EXPECT_EQ(exact.score(exact.count({output}, references).sums()), 100);
}

}  // namespace
}  // namespace fovea
