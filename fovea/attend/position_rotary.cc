#include "fovea/attend/position_rotary.h"

#include "fovea/attend/score_dot.h"
#include "fovea/autograd/rotary.h"
#include "fovea/base/check.h"

namespace fovea {
namespace {

struct RotaryConfig {
  RotaryPairing pairing = RotaryPairing::kAdjacent;
  int rotary_dim = 0;
  float base = 10000.0f;
  void fields(auto&& field) {
    field("pairing", pairing, "which columns are turned together");
    field("rotary-dim", rotary_dim,
          "columns of a head that are turned; 0: all");
    field("base", base, "of the angles' falling powers");
  }
};

class RotaryPosition : public Position {
 public:
  explicit RotaryPosition(const Rotary& rotary) : rotary_(rotary) {}
  bool turns() const override { return true; }
  Var turn(const Var& rows, std::span<const int> positions,
           int heads) const override {
    return rotate(rows, positions, heads, rotary_);
  }

 private:
  Rotary rotary_;
};

}  // namespace

std::unique_ptr<Position> make_rotary_position(const PartContext& context) {
  RotaryConfig config;
  context.settings.read(config);
  const int size = context.score.query / context.score.heads;
  const int width = config.rotary_dim ? config.rotary_dim : size;
  check_usage(width > 0 && width % 2 == 0 && width <= size,
              "position rope and a head size of ", size,
              " do not go together: ", width,
              " columns cannot be turned in pairs");
  check_option(config.base > 0, "base", config.base, "give more than 0");
  return std::make_unique<RotaryPosition>(
      Rotary{width, config.base, config.pairing});
}

}  // namespace fovea
