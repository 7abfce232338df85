#pragma once

#include <cstdint>

#include "fovea/base/fields.h"

namespace fovea {

// How the learning rate moves (SPEC D27). All but kHalving rise along a line
// during the warm-up first.
enum class Schedule {
  kConstant,
  kInverseSqrt,  // falls with the root of the step, from the warm-up on
  kNoam,         // the same, with the peak from the width: (width warmup)^-0.5
  kLinear,       // to the least rate at the last step
  kCosine,       // likewise along half a cosine
  kHalving,      // halves every so many steps after a beginning
};
constexpr EnumName<Schedule> kSchedules[] = {
    {Schedule::kConstant, "constant"}, {Schedule::kInverseSqrt, "inverse_sqrt"},
    {Schedule::kNoam, "noam"},         {Schedule::kLinear, "linear"},
    {Schedule::kCosine, "cosine"},     {Schedule::kHalving, "halving"}};
constexpr auto& enum_names(Schedule) { return kSchedules; }

struct ScheduleConfig {
  Schedule schedule = Schedule::kInverseSqrt;
  float lr = 2e-3f;
  float min_lr = 0.0f;
  int64_t warmup = 1000;
  int64_t halve_after = 0;
  int64_t halve_every = 0;

  void fields(auto&& field) {
    field("schedule", schedule, "how the learning rate moves");
    field("lr", lr, "peak learning rate; with noam a factor");
    field("min-lr", min_lr, "the least rate, after the warm-up");
    field("lr-warmup", warmup, "steps in which the rate rises to its peak");
    field("halve-after", halve_after, "halving: steps before the first one");
    field("halve-every", halve_every, "halving: steps between two");
  }
};

// What a schedule must know besides.
struct ScheduleScale {
  int64_t steps = 0;  // the last step, for linear and cosine
  int width = 512;    // of the model, for noam
};

// The rate of a step, which count from 1.
float learning_rate(const ScheduleConfig& config, const ScheduleScale& scale,
                    int64_t step);
// Throws for settings that make no sense together.
void check_schedule(const ScheduleConfig& config, const ScheduleScale& scale);

}  // namespace fovea
