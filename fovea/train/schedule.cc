#include "fovea/train/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "fovea/base/check.h"

namespace fovea {
namespace {

// How much of the way from the warm-up to the last step is done, 0 to 1.
double done(const ScheduleConfig& config, const ScheduleScale& scale,
            int64_t step) {
  const double way = std::max<int64_t>(1, scale.steps - config.warmup);
  return std::clamp(static_cast<double>(step - config.warmup) / way, 0.0, 1.0);
}

// The rate over the peak, after the warm-up.
double after_warmup(const ScheduleConfig& config, const ScheduleScale& scale,
                    int64_t step) {
  const double from = std::max<int64_t>(1, config.warmup);
  switch (config.schedule) {
    case Schedule::kConstant:
      return 1;
    case Schedule::kInverseSqrt:
    case Schedule::kNoam:
      return std::sqrt(from / static_cast<double>(step));
    case Schedule::kLinear:
      return 1 - done(config, scale, step);
    case Schedule::kCosine:
      return 0.5 * (1 + std::cos(std::numbers::pi * done(config, scale, step)));
    case Schedule::kHalving: {
      const int64_t past = step - 1 - config.halve_after;
      return past < 0 ? 1 : std::pow(0.5, 1 + past / config.halve_every);
    }
  }
  return 1;
}

double peak(const ScheduleConfig& config, const ScheduleScale& scale) {
  if (config.schedule != Schedule::kNoam) return config.lr;
  return config.lr / std::sqrt(static_cast<double>(scale.width) *
                               static_cast<double>(config.warmup));
}

}  // namespace

float learning_rate(const ScheduleConfig& config, const ScheduleScale& scale,
                    int64_t step) {
  const double top = peak(config, scale);
  const bool rises = config.schedule != Schedule::kHalving;
  if (rises && step < config.warmup) {
    return static_cast<float>(top * static_cast<double>(step) /
                              static_cast<double>(config.warmup));
  }
  const double rate = top * after_warmup(config, scale, step);
  return static_cast<float>(std::max<double>(rate, config.min_lr));
}

void check_schedule(const ScheduleConfig& config, const ScheduleScale& scale) {
  check_usage(config.lr > 0 && std::isfinite(config.lr), "--lr ", config.lr,
              ": give a number above 0");
  check_usage(config.min_lr >= 0, "--min-lr ", config.min_lr,
              ": give 0 or more");
  check_usage(config.warmup >= 0, "--lr-warmup ", config.warmup,
              ": give 0 or more");
  const bool ends = config.schedule == Schedule::kLinear ||
                    config.schedule == Schedule::kCosine;
  check_usage(!ends || scale.steps > 0, "--schedule ",
              FieldText<Schedule>::print(config.schedule),
              " needs --max-steps, to know its end");
  check_usage(config.schedule != Schedule::kNoam || config.warmup > 0,
              "--schedule noam needs --lr-warmup above 0");
  check_usage(config.schedule != Schedule::kHalving ||
                  (config.halve_after >= 0 && config.halve_every > 0),
              "--schedule halving needs --halve-every above 0 and "
              "--halve-after of 0 or more");
}

}  // namespace fovea
