#include "fovea/layers/position_codes.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "fovea/autograd/gather.h"
#include "fovea/base/check.h"
#include "fovea/layers/init.h"

namespace fovea {
namespace {

// In double precision: a float's angle of a late position is off by 1e-3.
void interleaved(double position, std::span<float> row) {
  const auto width = static_cast<double>(row.size());
  for (size_t c = 0; c < row.size(); ++c) {
    const auto pair = static_cast<double>(c / 2 * 2);
    const double angle = position * std::pow(10000.0, -pair / width);
    row[c] = static_cast<float>(c % 2 ? std::cos(angle) : std::sin(angle));
  }
}

void halves(double position, std::span<float> row) {
  const size_t half = row.size() / 2;
  const double steps = std::max<double>(1.0, static_cast<double>(half) - 1.0);
  std::fill(row.begin(), row.end(), 0.0f);  // the last of an odd width stays 0
  for (size_t i = 0; i < half; ++i) {
    const double angle =
        position * std::pow(10000.0, -static_cast<double>(i) / steps);
    row[i] = static_cast<float>(std::sin(angle));
    row[half + i] = static_cast<float>(std::cos(angle));
  }
}

}  // namespace

Tensor sinusoidal_codes(std::span<const int> positions, int width,
                        SineLayout layout) {
  check(width > 0, "positions: a code of width ", width);
  Tensor codes({static_cast<int64_t>(positions.size()), width});
  for (size_t i = 0; i < positions.size(); ++i) {
    const auto row = codes.span().subspan(i * width, width);
    layout == SineLayout::kHalves ? halves(positions[i], row)
                                  : interleaved(positions[i], row);
  }
  return codes;
}

LearnedCodes::LearnedCodes(const LearnedCodeConfig& config, int width,
                           RandomKey key)
    : config_(config) {
  check_usage(config.longest >= 1, "longest is ", config.longest,
              ": give at least 1");
  check_usage(config.deviation >= 0, "deviation is ", config.deviation,
              ": give 0 or more");
  table_ = Var::parameter(
      normal_init({config.longest, width}, key, config.deviation));
}

Var LearnedCodes::operator()(std::span<const int> positions) const {
  std::vector<int> ids(positions.begin(), positions.end());
  for (int& id : ids) {
    if (id >= 0 && id < config_.longest) continue;
    check(config_.beyond != BeyondTable::kError, "positions: ", id,
          " has no learned code, the table ends at ", config_.longest - 1,
          "; raise 'longest', or set 'beyond' to clip or wrap");
    id = config_.beyond == BeyondTable::kClip
             ? std::clamp(id, 0, config_.longest - 1)
             : (id % config_.longest + config_.longest) % config_.longest;
  }
  return gather(table_, ids);
}

}  // namespace fovea
