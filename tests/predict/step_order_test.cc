#include "fovea/predict/step_order.h"

#include <gtest/gtest.h>
// Needs the one above.
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace fovea {
namespace {

TEST(StepOrder, PutsTheLongestSequencesFirstAndKeepsTheOrderOfEqualOnes) {
  const StepOrder order(
      Segments::from_lengths(std::vector<int>{1, 3, 0, 2, 3}));
  EXPECT_EQ(order.steps(), 3);
  EXPECT_TRUE(
      std::ranges::equal(order.sequences(), std::vector<int>{1, 4, 3, 0, 2}));
  EXPECT_TRUE(
      std::ranges::equal(order.sequences(1), std::vector<int>{1, 4, 3}));
  EXPECT_TRUE(std::ranges::equal(order.rows(),
                                 std::vector<int>{1, 6, 4, 0, 2, 7, 5, 3, 8}));
}

TEST(StepOrder, HasOneStepWithoutRowsIfThereAreNone) {
  const StepOrder order(Segments::from_lengths(std::vector<int>{0, 0}));
  EXPECT_EQ(order.steps(), 1);
  EXPECT_EQ(order.active(0), 0);
}

RC_GTEST_PROP(StepOrderLaw, EveryRowHasOnePlaceInItsStep, ()) {
  const auto lengths =
      *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 9));
  const Segments of = Segments::from_lengths(lengths);
  const StepOrder order(of);
  RC_ASSERT(std::ssize(order.rows()) == of.total());
  for (int t = 0; t < order.steps(); ++t) {
    for (int i = 0; i < order.active(t); ++i) {
      const int place = order.begin(t) + i;
      const int row = order.rows()[place];
      RC_ASSERT(order.places()[row] == place);
      RC_ASSERT(row == of.begin(order.sequences(t)[i]) + t);
    }
    if (t > 0) RC_ASSERT(order.active(t) <= order.active(t - 1));
  }
}

}  // namespace
}  // namespace fovea
