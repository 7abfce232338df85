#include "fovea/attend/position_absolute.h"

#include "fovea/autograd/elementwise.h"
#include "fovea/base/check.h"
#include "fovea/layers/position_codes.h"

namespace fovea {
namespace {

class LearnedPosition : public Position {
 public:
  LearnedPosition(const LearnedCodeConfig& config, int width, RandomKey key)
      : codes_(config, width, key) {}
  Var add_to(const Var& rows, std::span<const int> positions) const override {
    return rows + codes_(positions);
  }
  void params(Params& p) override { p("codes", codes_); }

 private:
  LearnedCodes codes_;
};

struct SinusoidalConfig {
  SineLayout layout = SineLayout::kInterleaved;
  void fields(auto&& field) {
    field("layout", layout, "order of sines and cosines");
  }
};

class SinusoidalPosition : public Position {
 public:
  explicit SinusoidalPosition(SineLayout layout) : layout_(layout) {}
  Var add_to(const Var& rows, std::span<const int> positions) const override {
    return rows +
           sinusoidal_codes(positions, static_cast<int>(rows.dim(1)), layout_);
  }

 private:
  SineLayout layout_;
};

int shared_width(const PartContext& context) {
  check_usage(context.sizes.query == context.sizes.key, "position ",
              context.config.position, " and a query width of ",
              context.sizes.query, " with a key width of ", context.sizes.key,
              " do not go together: both get the same codes");
  return context.sizes.query;
}

}  // namespace

std::unique_ptr<Position> make_learned_position(const PartContext& context) {
  LearnedCodeConfig config;
  context.settings.read(config);
  return std::make_unique<LearnedPosition>(config, shared_width(context),
                                           context.key.with("position"));
}

std::unique_ptr<Position> make_sinusoidal_position(const PartContext& context) {
  SinusoidalConfig config;
  context.settings.read(config);
  shared_width(context);
  return std::make_unique<SinusoidalPosition>(config.layout);
}

}  // namespace fovea
