#include "fovea/attend/extent_local_p.h"

#include <cmath>

#include "fovea/autograd/elementwise.h"
#include "fovea/autograd/gather.h"
#include "fovea/base/check.h"
#include "fovea/layers/init.h"
#include "fovea/layers/linear.h"

namespace fovea {
namespace {

struct LocalPConfig {
  int window = 10;
  float sigma = 0.0f;
  bool renormalise = false;
  RecurrentInit init = RecurrentInit::kXavier;
  void fields(auto&& field) {
    field("window", window, "keys on each side of the predicted position");
    field("sigma", sigma, "width of the Gaussian; 0: window / 2");
    field("renormalise", renormalise, "weights sum to 1 behind the Gaussian");
    field("init", init,
          "xavier, bahdanau: N(0, 0.01^2), or luong: uniform in +-0.1");
  }
};

// The positions s of all pairs.
Tensor key_positions(const Pairs& pairs) {
  Tensor s({pairs.size()});
  int64_t i = 0;
  for (int64_t m = 0; m < pairs.rows(); ++m) {
    const Pairs::Row& row = pairs.row(m);
    for (int h = 0; h < pairs.heads(); ++h) {
      for (int j = 0; j < row.keys; ++j) {
        s[i++] = static_cast<float>(row.first + j + 1);
      }
    }
  }
  return s;
}

// A number of each row [M,1] for each pair.
Var for_pairs(const Var& x, const Pairs& pairs) {
  const std::vector<Var> of_heads(static_cast<size_t>(pairs.heads()), x);
  return pair_of_rows(concat_columns(of_heads), pairs);
}

// Weights that all are too small to count stay 0.
Var divided_by_sum(const Var& weights, const Pairs& pairs) {
  constexpr float kTiny = 1e-30f;
  const Var sums = pair_of_rows(pair_row_sums(weights, pairs), pairs);
  return weights * exp(-log(shift(sums, kTiny)));
}

class LocalPExtent : public Extent {
 public:
  LocalPExtent(const LocalPConfig& config, int width, RandomKey key)
      : config_(config) {
    hidden_.weight = Var::parameter(
        input_init(config.init, 1, width, width, key.with("hidden")));
    position_.weight = Var::parameter(
        input_init(config.init, 1, 1, width, key.with("position")));
  }
  void params(Params& p) override {
    p("hidden", hidden_);
    p("position", position_);
  }

  // Returns p [M,1].
  Var narrow(const Var& queries, std::vector<Pairs::Row>& rows) const override {
    Tensor lengths({queries.dim(0)});
    for (size_t m = 0; m < rows.size(); ++m) {
      lengths[m] = static_cast<float>(rows[m].keys);
    }
    const Var p = scale_rows(
        sigmoid(position_(hidden_(queries, Activation::kTanh))), lengths);
    for (size_t m = 0; m < rows.size(); ++m) {
      const int centre = static_cast<int>(std::floor(p.value()[m])) - 1;
      narrow_row(rows[m], centre, config_.window);
    }
    return p;
  }

  Var adjust(const Var& weights, const Pairs& pairs,
             const Var& p) const override {
    const Var distance = for_pairs(p, pairs) - key_positions(pairs);
    const float factor = -0.5f / (config_.sigma * config_.sigma);
    const Var narrowed = weights * exp(factor * (distance * distance));
    return config_.renormalise ? divided_by_sum(narrowed, pairs) : narrowed;
  }

 private:
  LocalPConfig config_;
  Linear hidden_, position_;
};

}  // namespace

std::unique_ptr<Extent> make_local_p_extent(const PartContext& context) {
  LocalPConfig config;
  context.settings.read(config);
  check_window(config.window);
  check_usage(!context.config.causal,
              "extent local_p and causal do not go together: it must know how "
              "long the whole source is");
  if (config.sigma == 0) config.sigma = static_cast<float>(config.window) / 2;
  check_option(std::isfinite(config.sigma) && config.sigma > 0, "sigma",
               config.sigma, "give more than 0");
  return std::make_unique<LocalPExtent>(config, context.sizes.query,
                                        context.key.with("extent"));
}

}  // namespace fovea
