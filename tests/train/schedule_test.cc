#include "fovea/train/schedule.h"

#include <gtest/gtest.h>

#include "fovea/base/check.h"

namespace fovea {
namespace {

ScheduleConfig config(Schedule schedule) {
  ScheduleConfig c;
  c.schedule = schedule;
  c.lr = 1.0f;
  c.warmup = 10;
  return c;
}

TEST(Schedule, NoamHasTheValuesOfThePaper) {
  ScheduleConfig c = config(Schedule::kNoam);
  c.warmup = 4000;
  const auto rate = [&](int width, int64_t step) {
    return learning_rate(c, {.width = width}, step);
  };
  EXPECT_NEAR(rate(512, 1), 1.746928e-7, 1e-12);
  EXPECT_NEAR(rate(512, 4000), 6.987712e-4, 1e-9);
  EXPECT_NEAR(rate(512, 100000), 1.397542e-4, 1e-9);
  EXPECT_NEAR(rate(1024, 4000), 4.941059e-4, 1e-9);
}

TEST(Schedule, RisesAlongALineToThePeak) {
  for (Schedule s : {Schedule::kConstant, Schedule::kInverseSqrt,
                     Schedule::kLinear, Schedule::kCosine}) {
    EXPECT_FLOAT_EQ(learning_rate(config(s), {.steps = 100}, 1), 0.1f);
    EXPECT_FLOAT_EQ(learning_rate(config(s), {.steps = 100}, 10), 1.0f);
  }
}

TEST(Schedule, FallsAsItsNameSays) {
  const ScheduleScale scale{.steps = 110};
  EXPECT_FLOAT_EQ(learning_rate(config(Schedule::kConstant), scale, 60), 1);
  EXPECT_FLOAT_EQ(learning_rate(config(Schedule::kInverseSqrt), scale, 40),
                  0.5f);
  EXPECT_FLOAT_EQ(learning_rate(config(Schedule::kLinear), scale, 60), 0.5f);
  EXPECT_FLOAT_EQ(learning_rate(config(Schedule::kCosine), scale, 60), 0.5f);
  EXPECT_NEAR(learning_rate(config(Schedule::kLinear), scale, 110), 0, 1e-7);
  EXPECT_NEAR(learning_rate(config(Schedule::kCosine), scale, 110), 0, 1e-7);
}

TEST(Schedule, HalvesAfterABeginning) {
  ScheduleConfig c = config(Schedule::kHalving);
  c.halve_after = 5;
  c.halve_every = 2;
  EXPECT_FLOAT_EQ(learning_rate(c, {}, 1), 1);
  EXPECT_FLOAT_EQ(learning_rate(c, {}, 5), 1);
  EXPECT_FLOAT_EQ(learning_rate(c, {}, 6), 0.5f);
  EXPECT_FLOAT_EQ(learning_rate(c, {}, 7), 0.5f);
  EXPECT_FLOAT_EQ(learning_rate(c, {}, 8), 0.25f);
}

TEST(Schedule, HasALeastRateAfterTheWarmUp) {
  ScheduleConfig c = config(Schedule::kLinear);
  c.min_lr = 0.25f;
  EXPECT_FLOAT_EQ(learning_rate(c, {.steps = 110}, 109), 0.25f);
  EXPECT_FLOAT_EQ(learning_rate(c, {.steps = 110}, 1), 0.1f);
}

TEST(Schedule, RefusesWhatMakesNoSense) {
  EXPECT_THROW(check_schedule(config(Schedule::kLinear), {}), Error);
  EXPECT_THROW(check_schedule(config(Schedule::kHalving), {}), Error);
  ScheduleConfig c = config(Schedule::kConstant);
  c.lr = 0;
  EXPECT_THROW(check_schedule(c, {}), Error);
  EXPECT_NO_THROW(check_schedule(config(Schedule::kConstant), {}));
}

}  // namespace
}  // namespace fovea
