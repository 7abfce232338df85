#include "fovea/predict/maxout_readout.h"

#include "fovea/autograd/elementwise.h"
#include "fovea/autograd/gather.h"
#include "fovea/base/check.h"
#include "fovea/layers/dropout.h"

namespace fovea {

MaxoutReadout::MaxoutReadout(const DecoderConfig& config, int words,
                             int context, RandomKey key)
    : width_(config.readout ? config.readout : (config.width + 1) / 2),
      dropout_(config.dropout) {
  check_usage(config.readout >= 0, "predict.readout is ", config.readout,
              ": give 0 or more");
  const int in = config.width + words + context;
  joined_ = Linear(in, 2 * width_, true, key);
  joined_.weight =
      Var::parameter(input_init(config.init, 1, 2 * width_, in, key));
}

Var MaxoutReadout::operator()(const Var& state, const Var& words,
                              const Var& context, const Pass& pass) const {
  const Var out = maxout(joined_(concat_columns({state, words, context})));
  return drop(out, dropout_, pass);
}

}  // namespace fovea
