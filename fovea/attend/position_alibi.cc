#include "fovea/attend/position_alibi.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

#include "fovea/autograd/elementwise.h"

namespace fovea {
namespace {

class Alibi : public Position {
 public:
  explicit Alibi(int heads) : slopes_(alibi_slopes(heads)) {}
  bool biases() const override { return true; }
  std::optional<std::vector<float>> slopes() const override { return slopes_; }
  Var bias(const Var& scores, const Pairing& pairing) const override {
    const Pairs& pairs = pairing.pairs;
    Tensor bias({pairs.size()});
    for (int64_t m = 0; m < pairs.rows(); ++m) {
      const Pairs::Row& row = pairs.row(m);
      for (int h = 0; h < pairs.heads(); ++h) {
        float* to = bias.data() + pairs.begin(m, h);
        for (int j = 0; j < row.keys; ++j) {
          const int distance = std::abs(row.position - (row.first + j));
          to[j] = -slopes_[h] * static_cast<float>(distance);
        }
      }
    }
    return scores + bias;
  }

 private:
  std::vector<float> slopes_;
};

}  // namespace

std::vector<float> alibi_slopes(int heads) {
  const auto n = static_cast<int>(
      std::bit_floor(static_cast<unsigned>(std::max(1, heads))));
  std::vector<float> slopes;
  for (int h = 1; h <= n; ++h) slopes.push_back(std::exp2(-8.0f * h / n));
  for (int h = 1; static_cast<int>(slopes.size()) < heads; h += 2) {
    slopes.push_back(std::exp2(-8.0f * h / (2 * n)));
  }
  return slopes;
}

std::unique_ptr<Position> make_alibi_position(const PartContext& context) {
  return std::make_unique<Alibi>(context.config.heads);
}

}  // namespace fovea
