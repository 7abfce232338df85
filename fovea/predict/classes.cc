#include "fovea/predict/classes.h"

#include "fovea/base/check.h"
#include "fovea/layers/dropout.h"

namespace fovea {

ClassPredictor::ClassPredictor(const ClassesConfig& config,
                               const ComposedConfig& attend, const Sizes& sizes,
                               RandomKey key)
    : config_(config),
      pool_(make_pool(config.pool, {.pooling = config.pooling,
                                    .attend = attend,
                                    .widths = sizes.encoded,
                                    .key = key.with("pool")})) {
  check_usage(config.hidden >= 0, "classes.hidden is ", config.hidden,
              ": give 0 or more");
  check_data(sizes.classes >= 2,
             "a classifier needs two classes at least, not ", sizes.classes);
  int width = pool_->width();
  if (config.hidden > 0) {
    hidden_ = Linear(width, config.hidden, true, key.with("hidden"));
    width = config.hidden;
  }
  output_ = Linear(width, sizes.classes, true, key.with("output"));
}

Var ClassPredictor::operator()(const Encoded& source, const Pass& pass) const {
  Var x = drop((*pool_)(source, pass.in("pool")), config_.dropout, pass);
  if (hidden_) {
    x = drop(hidden_(x, config_.activation), config_.dropout, pass, "hidden");
  }
  return output_(x);
}

void ClassPredictor::params(Params& p) {
  p("pool", *pool_);
  if (hidden_) p("hidden", hidden_);
  p("output", output_);
}

}  // namespace fovea
