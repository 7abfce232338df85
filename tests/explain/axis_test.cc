#include "fovea/explain/axis.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "fovea/base/check.h"

namespace fovea {
namespace {

std::string labels_of(const Axis& axis) {
  std::string all;
  for (const Axis::Tick& tick : axis.ticks()) all += tick.label + " ";
  return all;
}

TEST(Axis, MarksRoundNumbers) {
  EXPECT_EQ(labels_of(Axis({.low = 0.3, .high = 9.1}, 5)), "0 2 4 6 8 10 ");
  EXPECT_EQ(labels_of(Axis({.low = 0, .high = 20000}, 4)),
            "0 5000 10k 15k 20k ");
  EXPECT_EQ(labels_of(Axis({.low = 0, .high = 3e6}, 3)), "0 1M 2M 3M ");
  EXPECT_EQ(labels_of(Axis({.low = -0.0012, .high = 0.001}, 4)),
            "-0.002 -0.001 0 0.001 ");
}

TEST(Axis, WidensOnlyWhenAsked) {
  const Axis::Range range{.low = 0.3, .high = 9.1};
  EXPECT_DOUBLE_EQ(Axis(range, 5).place(0), 0);
  const Axis tight({.low = 0.3, .high = 9.1, .widen = false}, 5);
  EXPECT_DOUBLE_EQ(tight.place(0.3), 0);
  EXPECT_DOUBLE_EQ(tight.place(9.1), 1);
  EXPECT_EQ(labels_of(tight), "2 4 6 8 ");
}

TEST(Axis, MarksPowersOfTen) {
  EXPECT_EQ(labels_of(Axis({.low = 0.01, .high = 1000, .log = true}, 5)),
            "0.01 0.1 1 10 100 1000 ");
  EXPECT_EQ(labels_of(Axis({.low = 1, .high = 30, .log = true}, 5)),
            "1 2 5 10 20 ");
  const Axis axis({.low = 1, .high = 100, .log = true}, 5);
  EXPECT_DOUBLE_EQ(axis.place(10), 0.5);
  EXPECT_DOUBLE_EQ(axis.value_at(0.5), 10);
}

TEST(Axis, PutsASingleValueInTheMiddle) {
  EXPECT_DOUBLE_EQ(Axis({.low = 0, .high = 0}, 5).place(0), 0.5);
  const Axis log({.low = 7, .high = 7, .log = true}, 5);
  EXPECT_DOUBLE_EQ(log.place(7), 0.5);
  const Axis tight({.low = 5, .high = 5, .widen = false}, 5);
  EXPECT_DOUBLE_EQ(tight.place(5), 0.5);
}

TEST(Axis, RefusesWhatHasNoPlace) {
  EXPECT_THROW(Axis({.low = 1, .high = 0}, 5), Error);
  EXPECT_THROW(Axis({.low = 0, .high = INFINITY}, 5), Error);
  EXPECT_THROW(Axis({.low = 0, .high = 1, .log = true}, 5), Error);
}

RC_GTEST_PROP(Axis, HoldsItsRangeWithFewEvenMarks, (int from, uint16_t span)) {
  const double low = from * 1e-3, high = low + span * 0.37;
  const Axis axis({.low = low, .high = high}, 5);
  const std::vector<Axis::Tick>& ticks = axis.ticks();
  RC_ASSERT(axis.place(low) >= -1e-6);
  RC_ASSERT(axis.place(high) <= 1 + 1e-6);
  RC_ASSERT(ticks.size() >= 2u);
  RC_ASSERT(ticks.size() <= 8u);
  for (size_t i = 2; i < ticks.size(); ++i) {
    const double step = ticks[1].value - ticks[0].value;
    const double error = ticks[i].value - ticks[i - 1].value - step;
    RC_ASSERT(std::abs(error) <= 1e-6 * step + 1e-9);
  }
}

TEST(NumberText, IsExactForWholeNumbers) {
  EXPECT_EQ(number_text(1234567), "1234567");
  EXPECT_EQ(number_text(0.123456789), "0.12346");
  EXPECT_EQ(number_text(-2), "-2");
}

}  // namespace
}  // namespace fovea
