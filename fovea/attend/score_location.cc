#include "fovea/attend/score_location.h"

#include "fovea/autograd/gather.h"
#include "fovea/autograd/softmax.h"
#include "fovea/layers/linear.h"

namespace fovea {
namespace {

struct LengthConfig {
  int max_length = 50;
  void fields(auto&& field) {
    field("max-length", max_length, "places that can have weight");
  }
};

struct PaddingConfig {
  bool mask_padding = true;
  void fields(auto&& field) {
    field("mask-padding", mask_padding, "places without a key take no weight");
  }
};

PairIndex places(const Pairs& pairs, int count) {
  auto of = std::make_shared<std::vector<int>>();
  of->reserve(static_cast<size_t>(pairs.size() / pairs.heads()));
  for (int64_t m = 0; m < pairs.rows(); ++m) {
    for (int j = 0; j < pairs.row(m).keys; ++j) {
      of->push_back(pairs.row(m).first + j);
    }
  }
  return {std::move(of), count};
}

class LocationScore : public Score {
 public:
  LocationScore(Linear weight, int length, bool mask)
      : weight_(std::move(weight)), length_(length), mask_(mask) {}
  void params(Params& p) override { weight_.params(p); }
  bool projects() const override { return true; }
  int longest() const override { return length_; }
  ScoreKind kind() const override {
    return mask_ ? ScoreKind::kScore : ScoreKind::kWeight;
  }

  // A number for each head and place.
  Var prepare_queries(const Var& rows) const override {
    const Var x = weight_(rows);  // [M, heads * length]
    if (mask_) return x;
    const int64_t count = x.value().size() / length_;
    return reshape(softmax(reshape(x, {count, length_})), x.shape());
  }
  Var score(const Var& q, const Var&, const Pairs& pairs,
            const Var&) const override {
    return pair_pick(q, pairs, places(pairs, length_));
  }

 private:
  Linear weight_;
  int length_;
  bool mask_;
};

std::unique_ptr<Score> make(const PartContext& context, int default_length,
                            bool bias, bool mask) {
  LengthConfig config{default_length};
  context.settings.read(config);
  check_option(config.max_length >= 1, "max-length", config.max_length,
               "give at least 1");
  Linear weight(context.sizes.query,
                int64_t{context.score.heads} * config.max_length, bias,
                context.key.with("score"));
  return std::make_unique<LocationScore>(std::move(weight), config.max_length,
                                         mask);
}

}  // namespace

std::unique_ptr<Score> make_location_score(const PartContext& context) {
  return make(context, 50, false, true);
}

std::unique_ptr<Score> make_location_tutorial_score(
    const PartContext& context) {
  PaddingConfig config;
  context.settings.read(config);
  return make(context, 30, true, config.mask_padding);
}

}  // namespace fovea
