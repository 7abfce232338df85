#include "fovea/layers/position_codes.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <mutex>
#include <numeric>
#include <utility>
#include <vector>

#include "fovea/autograd/gather.h"
#include "fovea/base/check.h"
#include "fovea/layers/init.h"

namespace fovea {
namespace {

// In double precision: a float's angle of a late position is off by 1e-3.
class SineWriter {
 public:
  SineWriter(int width, SineLayout layout) : layout_(layout) {
    const int half = width / 2;
    for (int i = 0; i < (width + 1) / 2; ++i) {
      const double power = layout == SineLayout::kHalves
                               ? i / std::max(1.0, half - 1.0)
                               : 2.0 * i / width;
      frequencies_.push_back(std::pow(10000.0, -power));
    }
  }

  void write(double position, std::span<float> row) const {
    const size_t half = row.size() / 2;
    const bool halves = layout_ == SineLayout::kHalves;
    std::fill(row.begin(), row.end(), 0.0f);
    for (size_t i = 0; i < frequencies_.size(); ++i) {
      const double angle = position * frequencies_[i];
      // Of an odd width the halves leave the last one 0.
      if (halves && i == half) continue;
      row[halves ? i : 2 * i] = static_cast<float>(std::sin(angle));
      const size_t at = halves ? half + i : 2 * i + 1;
      if (at < row.size()) row[at] = static_cast<float>(std::cos(angle));
    }
  }

 private:
  SineLayout layout_;
  std::vector<double> frequencies_;
};

void write_codes(std::span<const int> positions, int width, SineLayout layout,
                 const Tensor& codes) {
  const SineWriter writer(width, layout);
  for (size_t i = 0; i < positions.size(); ++i) {
    writer.write(positions[i], codes.span().subspan(i * width, width));
  }
}

constexpr int kRemembered = 4096;

// The codes of positions from 0 on, at least so many, which are computed once:
// models ask for the same ones at every step.
Tensor remembered_codes(int width, SineLayout layout, int count) {
  static std::mutex mutex;
  static std::map<std::pair<int, SineLayout>, Tensor> tables;
  const std::lock_guard<std::mutex> lock(mutex);
  Tensor& table = tables[{width, layout}];
  if (!table || table.rows() < count) {
    std::vector<int> positions(std::bit_ceil(static_cast<unsigned>(count)));
    std::iota(positions.begin(), positions.end(), 0);
    table = Tensor({std::ssize(positions), width});
    write_codes(positions, width, layout, table);
  }
  return table;
}

}  // namespace

Tensor sinusoidal_codes(std::span<const int> positions, int width,
                        SineLayout layout) {
  check(width > 0, "positions: a code of width ", width);
  Tensor codes({std::ssize(positions), width});
  if (positions.empty()) return codes;
  const auto [first, last] = std::ranges::minmax(positions);
  if (first < 0 || last >= kRemembered) {
    write_codes(positions, width, layout, codes);
    return codes;
  }
  const Tensor table = remembered_codes(width, layout, last + 1);
  for (size_t i = 0; i < positions.size(); ++i) {
    std::copy_n(table.data() + int64_t{positions[i]} * width, width,
                codes.data() + static_cast<int64_t>(i) * width);
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
